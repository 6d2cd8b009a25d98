//! The door to the machine through which tools are looked for; tests have a scripted one.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use walkdir::WalkDir;

use crate::language::toolchain::Lookup;

/// What must be asked of a machine to find its tools.
pub trait Probe: Send + Sync {
    /// The executable files of this name on the search path, in its order; a name with a slash is a path.
    fn on_path(&self, name: &str) -> Vec<PathBuf>;

    /// Starts a tool and returns what it wrote, standard output first.
    ///
    /// An error, in words, if it cannot be started, fails, or takes too long.
    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, String>;

    /// The path without symbolic links; `None` if nothing is.
    fn real_path(&self, path: &Path) -> Option<PathBuf>;

    /// The paths that the last part of this one leads through, as a chain of symbolic links.
    fn hops(&self, path: &Path) -> Vec<PathBuf>;

    /// Where symbolic links in this directory lead out of it.
    fn links_out_of(&self, dir: &Path) -> Vec<PathBuf>;

    /// The size of a file in bytes; `None` if there is none.
    fn size(&self, path: &Path) -> Option<u64>;

    /// The user's home directory.
    fn home(&self) -> Option<PathBuf>;

    /// What was found for a word of a command line on the machines on which programs run, if that is not this one.
    fn elsewhere(&self, _word: &str) -> Option<Lookup> {
        None
    }
}

/// This machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

/// How long a tool may take to print its version. A virtual machine on a busy computer takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// A chain of links that is longer is a circle.
const MOST_HOPS: usize = 40;

impl Probe for Machine {
    fn on_path(&self, name: &str) -> Vec<PathBuf> {
        if name.contains('/') {
            return Some(PathBuf::from(name)).into_iter().filter(|it| is_executable(it)).collect();
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut found: Vec<PathBuf> = Vec::new();
        for dir in std::env::split_paths(&path).filter(|it| it.is_absolute()) {
            let file = dir.join(name);
            if is_executable(&file) && !found.contains(&file) {
                found.push(file);
            }
        }
        found
    }

    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, String> {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|fault| fault.to_string())?;
        let (sender, receiver) = mpsc::channel();
        let outputs = (child.stdout.take(), child.stderr.take());
        let read = move || {
            let stderr = thread::Builder::new().spawn(move || read_all(outputs.1));
            let said = read_all(outputs.0);
            let complained = stderr.map(|stderr| stderr.join().unwrap_or_default());
            // The receiver is gone only if the time is over.
            let _ = sender.send(said + &complained.unwrap_or_default());
        };
        let reader = match thread::Builder::new().spawn(read) {
            Ok(reader) => reader,
            Err(fault) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(fault.to_string());
            }
        };
        let Ok(said) = receiver.recv_timeout(PATIENCE) else {
            // It may have ended in this instant; then there is nothing to end.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("gave no answer within {} s", PATIENCE.as_secs()));
        };
        let status = child.wait().map_err(|fault| fault.to_string())?;
        // The thread has sent its result, so it ends at once.
        let _ = reader.join();
        match status.success() {
            true => Ok(said),
            false => Err(format!("{status}: {}", said.lines().next().unwrap_or_default())),
        }
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }

    fn hops(&self, path: &Path) -> Vec<PathBuf> {
        let mut hops = vec![path.to_path_buf()];
        let mut at = path.to_path_buf();
        while let Ok(target) = fs::read_link(&at) {
            let dir = at.parent().and_then(|it| fs::canonicalize(it).ok()).unwrap_or_default();
            at = normal(&dir.join(target));
            hops.push(at.clone());
            if hops.len() > MOST_HOPS {
                break;
            }
        }
        hops
    }

    fn links_out_of(&self, dir: &Path) -> Vec<PathBuf> {
        let mut out = Vec::new();
        for entry in WalkDir::new(dir).max_depth(4).into_iter().flatten() {
            if !entry.path_is_symlink() {
                continue;
            }
            let target = fs::read_link(entry.path()).unwrap_or_default();
            let target = normal(&entry.path().parent().unwrap_or(dir).join(target));
            if !target.starts_with(dir) && target.exists() {
                out.push(target);
            }
        }
        out
    }

    fn size(&self, path: &Path) -> Option<u64> {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|it| it.len())
    }

    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir().filter(|it| it.is_absolute())
    }
}

fn read_all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // What was read before a fault is still an answer.
        let _ = from.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// The path without `.` and `..`, told from its text alone.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                normal.pop();
            }
            std::path::Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_tool_that_fails_is_no_answer() {
        let said = Machine.ask(Path::new("/bin/sh"), &["-c", "echo out; echo err >&2"]);
        assert_eq!(said.as_deref(), Ok("out\nerr\n"));
        let said = Machine.ask(Path::new("/bin/sh"), &["-c", "echo bad; exit 3"]);
        assert_eq!(said, Err("exit status: 3: bad".to_owned()));
        assert!(Machine.ask(Path::new("/nowhere/tool"), &[]).is_err());
    }

    #[test]
    fn links_are_followed_one_by_one() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let root = fs::canonicalize(dir.path())?;
        fs::create_dir(root.join("bin"))?;
        fs::write(root.join("tool-1.0"), "")?;
        symlink("../tool-1", root.join("bin/tool"))?;
        symlink(root.join("tool-1.0"), root.join("tool-1"))?;
        let hops = Machine.hops(&root.join("bin/tool"));
        assert_eq!(hops, [root.join("bin/tool"), root.join("tool-1"), root.join("tool-1.0")]);
        assert_eq!(Machine.links_out_of(&root.join("bin")), [root.join("tool-1")]);
        symlink("circle", root.join("circle"))?;
        assert!(Machine.hops(&root.join("circle")).len() > MOST_HOPS);
        Ok(())
    }
}
