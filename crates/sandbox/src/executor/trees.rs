//! Writes trees to this machine's disk.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, PathBuf};

use tempfile::TempDir;

use crate::executor::scratch::scratch_fault;
use crate::sandbox;
use crate::sandbox::forks;
use juror_core::blob::{Blob, TreeDirectory};
use juror_core::job::{Job, VisibleContent};
use juror_core::judgement::JudgeError;
use juror_core::root::FilePath;
use juror_core::test_data::CaseFile;
use juror_core::tree::{FileMode, Node, Tree, TreeEntry, link_stays_inside};

pub fn case_entry(file: &CaseFile) -> TreeEntry {
    // A missing file is reported when it is read.
    let rights = file.path.metadata().map_or(0, |found| found.permissions().mode());
    let node =
        Node::File { blob: Blob::file(&file.path), mode: FileMode::from_permissions(rights) };
    TreeEntry::new(&file.name, node)
}

/// Copies a tree to a new path for a person to see, without links that lead out of the tree. Creates parent
/// directories.
///
/// # Errors
/// If it cannot be written there.
pub fn save(tree: &Tree, to: &FilePath) -> Result<(), JudgeError> {
    let fault = |error| scratch_fault(format!("write {}", to.display()), error);
    match tree.directory() {
        Some(directory) => {
            sandbox::copy_kept_box(directory, to.create_directory().map_err(fault)?, to)
        }
        None => write_tree(&without_outside_links(tree), to).map_err(fault),
    }
}

/// Writes the trees that a job shows to disk, below `home`, if they are not there yet. They are deleted with the last
/// job that shows them.
///
/// # Errors
/// If they cannot be written there.
pub fn write_shown_trees(
    job: &Job,
    home: impl Fn() -> Result<PathBuf, JudgeError>,
) -> Result<(), JudgeError> {
    for shown in &job.command.visible {
        if let VisibleContent::Tree(tree) = &shown.what
            && tree.directory().is_none()
        {
            let fault = |error| scratch_fault("put a program in place", error);
            let directory = TempDir::new_in(home()?).map_err(fault)?;
            let path = directory.path().join("tree");
            write_tree(tree, &FilePath::root(directory.path()).join("tree")).map_err(fault)?;
            tree.set_directory(TreeDirectory::new(path, directory));
        }
    }
    Ok(())
}

fn without_outside_links(tree: &Tree) -> Tree {
    let stays = |entry: &&TreeEntry| match &entry.node {
        Node::Link(target) => link_stays_inside(&entry.name, target),
        Node::File { .. } | Node::Directory => true,
    };
    Tree::from(tree.entries.iter().filter(stays).cloned().collect::<Vec<_>>())
}

/// Every run can read the directory.
fn write_tree(tree: &Tree, to: &FilePath) -> io::Result<()> {
    make_directory(to)?;
    for entry in &tree.entries {
        let mut parts = entry.name.components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut directory = to.clone();
        for part in entry.name.parent().into_iter().flatten() {
            directory = directory.join(part);
            // Links are not followed.
            if !directory.link_metadata().is_ok_and(|found| found.is_dir()) {
                make_directory(&directory)?;
            }
        }
        let path = to.join(&entry.name);
        match &entry.node {
            Node::Directory => make_directory(&path)?,
            Node::Link(target) => path.create_link(target)?,
            Node::File { blob, mode } => {
                let _no_start = forks::block_forks_for(blob, *mode);
                let mut file = path.create()?;
                blob.copy_to(&mut file)?;
                // The process's umask may have removed permissions.
                file.set_permissions(Permissions::from_mode(mode.permissions()))?;
            }
        }
    }
    Ok(())
}

fn make_directory(path: &FilePath) -> io::Result<()> {
    let directory = File::from(path.create_directory()?);
    directory.set_permissions(Permissions::from_mode(FileMode::Executable.permissions()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_tree_is_written_with_its_rights_and_links() {
        let dir = tempfile::tempdir().unwrap();
        let to = FilePath::root(dir.path()).join("deep/tree");
        let text = |text: &str, mode| Node::File { blob: text.as_bytes().into(), mode };
        let tree = Tree::from(vec![
            TreeEntry::new("a/b/run", text("x", FileMode::Executable)),
            TreeEntry::new("a/text", text("y", FileMode::Plain)),
            TreeEntry::new("empty", Node::Directory),
            TreeEntry::new("link", Node::Link("a/text".into())),
            TreeEntry::new("a/up", Node::Link("../empty".into())),
            TreeEntry::new("program", Node::Link("/program/a.py".into())),
            TreeEntry::new("out", Node::Link("../out".into())),
            TreeEntry::new("winding", Node::Link("a/up/../..".into())),
        ]);
        save(&tree, &to).unwrap();
        let rights = |name: &str| to.join(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(rights("a/b/run"), 0o755);
        assert_eq!(rights("a/text"), 0o644);
        assert_eq!(rights("empty"), 0o755);
        assert_eq!(to.join("link").read_text(9).unwrap(), "y");
        assert!(to.join("a/up").is_dir());
        for gone in ["program", "out", "winding"] {
            assert!(to.join(gone).is_missing(), "{gone} leads out");
        }
        assert!(save(&tree, &to).is_err(), "nothing is written over");
        let other = FilePath::root(dir.path()).join("other");
        let outside = |name: &str| Tree::from(vec![TreeEntry::new(name, Node::Directory)]);
        for name in ["../out", "/out", "a/../../out"] {
            assert!(save(&outside(name), &other).is_err(), "{name}");
            fs::remove_dir_all(&*other).unwrap();
        }
        let mut through = outside("link/out");
        through.entries.insert(0, TreeEntry::new("link", Node::Link(dir.path().into())));
        save(&through, &other).unwrap();
        assert!(!dir.path().join("out").exists(), "the link was left out");
    }
}
