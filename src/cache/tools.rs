//! What compilers and interpreters report about themselves, so that they need not be started for it again.
//!
//! An answer stays valid as long as the tool's file, the system's notes of what is installed, and the environment of
//! tools are unchanged. A script outside of the system's directories may use any file for its answer, so it is asked
//! each time.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cache::store::Store;
use crate::cache::surroundings::{Surroundings, digest_of};
use crate::language::probe::{AskFault, Probe};
use crate::language::toolchain::{Lookup, is_system};
use crate::model::blob::Digest;
use crate::sandbox::{Machine, host_tool};

/// This machine's tools, with the answers that are known.
pub struct Asked {
    store: Arc<Store>,
    is_fresh: bool,
    surroundings: Surroundings,
}

/// Files below the home directory in which the user selects the version of a tool.
const CHOICES: [&str; 4] =
    [".rustup/settings.toml", ".pyenv/version", ".tool-versions", ".config/mise/config.toml"];

/// Where pyenv keeps its wrappers of interpreters and its versions. The wrappers read only these and the files above.
const SHIMS: &str = ".pyenv/shims";
const VERSIONS: &str = ".pyenv/versions";

impl Asked {
    /// Keeps answers in this store; if `is_fresh`, asks every tool again.
    pub fn new(store: Arc<Store>, is_fresh: bool) -> Self {
        Self { surroundings: Surroundings::new(Arc::clone(&store)), store, is_fresh }
    }

    fn key(&self, program: &Path, args: &[&str]) -> Option<Digest> {
        let real = fs::canonicalize(program).ok()?;
        let home = Machine.home();
        let below_home = |name: &str| home.as_ref().map(|home| home.join(name));
        let is_shim = below_home(SHIMS).is_some_and(|dir| real.starts_with(dir));
        if !is_system(&real) && !is_shim && is_script(&real) {
            return None;
        }
        let tool = (program.as_os_str().as_bytes(), real.as_os_str().as_bytes());
        let environment: Vec<(Vec<u8>, Vec<u8>)> = host_tool::environment()
            .into_iter()
            .map(|(name, value)| (name.into_encoded_bytes(), value.into_encoded_bytes()))
            .collect();
        let choices = CHOICES.map(|name| self.surroundings.file(&below_home(name)?));
        let versions = is_shim.then(|| self.surroundings.installed(&below_home(VERSIONS)?));
        let system = self.surroundings.system()?;
        let file = self.surroundings.file(&real)?;
        digest_of(&("asked 2", tool, file, args, environment, (choices, versions), system))
    }
}

fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
}

impl Probe for Asked {
    fn on_path(&self, name: &str) -> Vec<PathBuf> {
        Machine.on_path(name)
    }

    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, AskFault> {
        let Some(key) = self.key(program, args) else { return Machine.ask(program, args) };
        let known = self.store.get(&key).filter(|_| !self.is_fresh);
        if let Some(said) = known.and_then(|record| String::from_utf8(record.bytes).ok()) {
            return Ok(said);
        }
        let said = Machine.ask(program, args)?;
        self.store.put(&key, said.as_bytes());
        Ok(said)
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Machine.real_path(path)
    }

    fn hops(&self, path: &Path) -> Vec<PathBuf> {
        Machine.hops(path)
    }

    fn links_out_of(&self, dir: &Path) -> Vec<PathBuf> {
        Machine.links_out_of(dir)
    }

    fn size(&self, path: &Path) -> Option<u64> {
        Machine.size(path)
    }

    fn home(&self) -> Option<PathBuf> {
        Machine.home()
    }

    fn elsewhere(&self, word: &str) -> Option<Lookup> {
        Machine.elsewhere(word)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::sandbox::forks;

    /// A tool that counts how often it was started.
    fn tool(dir: &Path, interpreter: &str) -> PathBuf {
        let path = dir.join("tool");
        let script =
            format!("{interpreter}\necho x >> {0}/asked; echo version 1 $1\n", dir.display());
        let _writing = forks::none();
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn times(dir: &Path) -> usize {
        fs::read_to_string(dir.join("asked")).unwrap_or_default().lines().count()
    }

    #[test]
    fn a_script_that_is_not_the_systems_is_asked_each_time() {
        let dir = tempfile::tempdir().unwrap();
        let tool = tool(dir.path(), "#!/bin/sh");
        let store = Arc::new(Store::scratch());
        for number in 1..=3 {
            let asked = Asked::new(Arc::clone(&store), false);
            assert_eq!(asked.ask(&tool, &["a"]).as_deref(), Ok("version 1 a\n"));
            assert_eq!(times(dir.path()), number);
        }
    }

    #[test]
    fn a_tool_of_the_system_is_asked_once_for_each_question() {
        let store = Arc::new(Store::scratch());
        let key = |args: &[&str]| {
            let asked = Asked::new(Arc::clone(&store), false);
            let said = asked.ask(Path::new("/bin/echo"), args);
            assert_eq!(said, Ok(args.join(" ") + "\n"));
            asked.key(Path::new("/bin/echo"), args).unwrap()
        };
        let (one, two) = (key(&["a"]), key(&["b"]));
        assert_ne!(one, two);
        store.put(&one, b"remembered");
        let ask = |is_fresh: bool| {
            Asked::new(Arc::clone(&store), is_fresh).ask(Path::new("/bin/echo"), &["a"])
        };
        assert_eq!(ask(false).as_deref(), Ok("remembered"));
        assert_eq!(ask(true).as_deref(), Ok("a\n"));
        assert_eq!(ask(false).as_deref(), Ok("a\n"));
    }

    #[test]
    fn what_fails_is_asked_again() {
        let store = Arc::new(Store::scratch());
        for _ in 0..2 {
            assert!(
                Asked::new(Arc::clone(&store), false).ask(Path::new("/bin/false"), &[]).is_err()
            );
        }
    }
}
