//! Asks this machine for its tools.

use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::sandbox::host_tool;
use juror_core::language::probe::{AskFault, Lookup, Probe, normalize};

#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

/// A longer chain of links is a cycle.
const MAX_HOPS: usize = 40;

impl Probe for Machine {
    fn on_path(&self, name: &str) -> Vec<PathBuf> {
        host_tool::on_path(name)
    }

    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, AskFault> {
        host_tool::ask(program, args)
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }

    fn link_chain(&self, path: &Path) -> Vec<PathBuf> {
        let mut hops = vec![path.to_path_buf()];
        let mut current = path.to_path_buf();
        while hops.len() <= MAX_HOPS
            && let Ok(target) = fs::read_link(&current)
            && let Some(dir) = current.parent().and_then(|dir| fs::canonicalize(dir).ok())
        {
            current = normalize(&dir.join(target));
            hops.push(current.clone());
        }
        hops
    }

    fn links_out_of(&self, dir: &Path) -> Vec<PathBuf> {
        let mut out = Vec::new();
        for entry in WalkDir::new(dir).max_depth(4).into_iter().flatten() {
            if !entry.path_is_symlink() {
                continue;
            }
            let Ok(target) = fs::read_link(entry.path()) else { continue };
            let target = normalize(&entry.path().parent().unwrap_or(dir).join(target));
            if !target.starts_with(dir) && target.exists() {
                out.push(target);
            }
        }
        out
    }

    fn size(&self, path: &Path) -> Option<u64> {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| file.len())
    }

    fn home(&self) -> Option<PathBuf> {
        host_tool::home()
    }

    fn remote_lookup(&self, _: &str) -> Option<Lookup> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_one_by_one() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let root = fs::canonicalize(dir.path())?;
        fs::create_dir(root.join("bin"))?;
        fs::write(root.join("tool-1.0"), "")?;
        symlink("../tool-1", root.join("bin/tool"))?;
        symlink(root.join("tool-1.0"), root.join("tool-1"))?;
        let hops = Machine.link_chain(&root.join("bin/tool"));
        assert_eq!(hops, [root.join("bin/tool"), root.join("tool-1"), root.join("tool-1.0")]);
        assert_eq!(Machine.links_out_of(&root.join("bin")), [root.join("tool-1")]);
        symlink("circle", root.join("circle"))?;
        assert!(Machine.link_chain(&root.join("circle")).len() > MAX_HOPS);
        Ok(())
    }
}
