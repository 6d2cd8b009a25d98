//! The interface to the machine for finding tools; tests have a scripted one.

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
use crate::model::forks;

/// The questions to a machine about its tools, by default to this one.
pub trait Probe: Send + Sync {
    /// The executable files of this name on the search path, in its order; a name with a slash is a path.
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

    /// Starts a tool and returns its output, standard output first.
    ///
    /// Returns an error, in words, if it cannot be started, fails, or takes too long.
    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, String> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = forks::spawn(&mut command).map_err(|fault| fault.to_string())?;
        let (sender, receiver) = mpsc::channel();
        let outputs = (child.stdout.take(), child.stderr.take());
        let read = move || {
            let stderr = thread::Builder::new().spawn(move || read_all(outputs.1));
            let said = read_all(outputs.0);
            let complained = stderr.map(|stderr| stderr.join().unwrap_or_default());
            // If the receiver is gone, the time was up.
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
            // It may just have ended; then this does nothing.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("did not answer within {} s", PATIENCE.as_secs()));
        };
        let status = child.wait().map_err(|fault| fault.to_string())?;
        // The thread has sent its result, so it ends at once.
        let _ = reader.join();
        match status.success() {
            true => Ok(said),
            false => Err(format!("{status}: {}", said.lines().next().unwrap_or_default())),
        }
    }

    /// The path without symbolic links; `None` if it does not exist.
    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }

    /// The chain of paths to which the last part of this one leads through symbolic links.
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

    /// Targets outside of this directory of the symbolic links in it.
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

    /// The size of a file in bytes; `None` if it does not exist.
    fn size(&self, path: &Path) -> Option<u64> {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|it| it.len())
    }

    /// The user's home directory.
    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir().filter(|it| it.is_absolute())
    }

    /// The result for a word of a command line on the machines that run programs, if that is not this one.
    fn elsewhere(&self, _word: &str) -> Option<Lookup> {
        None
    }
}

/// This machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

/// Upper bound on the time in which a tool prints its version. A virtual machine on a busy computer takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// A longer chain of links is a cycle.
const MOST_HOPS: usize = 40;

impl Probe for Machine {}

fn read_all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // Output before a read error still counts.
        let _ = from.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// The path without `.` and `..`, from its text alone.
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
