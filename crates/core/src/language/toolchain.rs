//! The compilers and interpreters of a machine, each found once.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::job::{VisibleContent, VisiblePath};
use crate::judgement::JudgeError;
use crate::language::find;
use crate::language::probe::{AskFault, Probe};
use crate::language::tool::Tool;
use crate::serial::PathBytes;

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// The path is the same inside and outside the sandbox.
    #[serde_as(as = "PathBytes")]
    pub program: PathBuf,
    /// The paths outside the system's directories that it needs; the same inside and outside the sandbox.
    #[serde_as(as = "Vec<PathBytes>")]
    pub visible: Vec<PathBuf>,
    /// One line, in the tool's own words.
    pub version: String,
    pub linking: Linking,
    /// The directory of its own linker, which is faster than that of the system.
    #[serde_as(as = "Option<PathBytes>")]
    pub lld: Option<PathBuf>,
}

impl Toolchain {
    pub fn visible_paths(&self) -> Vec<VisiblePath> {
        let name = self.program.file_name().unwrap_or_default();
        let what = VisibleContent::Installed {
            name: name.to_string_lossy().into_owned(),
            identity: self.version.clone(),
        };
        let shown = |inside: &PathBuf| VisiblePath { inside: inside.clone(), what: what.clone() };
        self.visible.iter().map(shown).collect()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Linking {
    #[default]
    Dynamic,
    /// Everything is in the binary: it starts about twice as fast.
    Static,
}

/// A fault of the machine, never of the submission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {purpose}: {}", self.reason())]
pub struct MissingTool {
    /// Such as `build Java programs`.
    pub purpose: String,
    pub tool: String,
    pub tried: Vec<FailedCandidate>,
    pub help: String,
}

/// A candidate for a tool that gave no sensible answer.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCandidate {
    #[serde_as(as = "PathBytes")]
    pub program: PathBuf,
    pub fault: AskFault,
}

impl MissingTool {
    fn reason(&self) -> String {
        let tried = self.tried.iter();
        let tried = tried.map(|failed| format!("; {}: {}", failed.program.display(), failed.fault));
        let tried: String = tried.collect();
        format!("{} not found{tried}", self.tool)
    }
}

/// If a question was not answered, the tool may be there.
pub(super) fn machine_fault(tried: &[FailedCandidate]) -> Option<&FailedCandidate> {
    tried.iter().find(|failed| !matches!(failed.fault, AskFault::Tool(_)))
}

impl From<MissingTool> for JudgeError {
    fn from(missing: MissingTool) -> Self {
        if let Some(FailedCandidate { program, fault }) = machine_fault(&missing.tried) {
            if let AskFault::Judge(error) = fault {
                return (**error).clone();
            }
            let reason = format!("{} cannot be asked for its version: {fault}", program.display());
            let help = "give more of it to this machine, or to the container of juror";
            return Self::new(missing.purpose, reason).help(help).transient();
        }
        let error = Self::new(missing.purpose.clone(), missing.reason()).help(missing.help);
        Self { lacks: Some(missing.tool), ..error }
    }
}

/// All tools of a machine: each is searched when it is first needed, and remembered.
pub struct Toolchains {
    probe: Box<dyn Probe>,
    lookups: Mutex<HashMap<String, Arc<Mutex<Option<Lookup>>>>>,
}

/// A tool, or the candidates that were found but did not work.
pub type Lookup = Result<Arc<Toolchain>, Vec<FailedCandidate>>;

impl Toolchains {
    pub fn new(probe: Box<dyn Probe>) -> Self {
        Self { probe, lookups: Mutex::default() }
    }

    /// `purpose` is such as `build Java programs`.
    pub fn find(&self, tool: &Tool, purpose: &str) -> Result<Arc<Toolchain>, MissingTool> {
        self.search(tool).map_err(|tried| MissingTool {
            purpose: purpose.to_owned(),
            tool: tool.name().to_owned(),
            tried,
            help: tool.help(),
        })
    }

    /// For a name or an absolute path in a `#!` line or a command line. The program is not started.
    pub fn find_named(&self, name: &str, purpose: &str) -> Result<Arc<Toolchain>, MissingTool> {
        let found = self.find_once(name, || find::find_named(self, name));
        found.map_err(|tried| MissingTool {
            purpose: purpose.to_owned(),
            tool: name.to_owned(),
            tried,
            help: format!("install `{name}`, or give the path of another program"),
        })
    }

    /// For a path that the user typed. The program is not started.
    pub(super) fn find_at(&self, path: &Path) -> Result<Arc<Toolchain>, MissingTool> {
        let word = path.to_string_lossy();
        let unqueried = || Ok(Arc::new(find::toolchain_without_query(self.probe(), path)));
        let found = self.probe.remote_lookup(&word).unwrap_or_else(unqueried);
        found.map_err(|tried| MissingTool {
            purpose: "run the command".to_owned(),
            tool: word.into_owned(),
            tried,
            help: "give a program that is on the search path of the workers".to_owned(),
        })
    }

    pub(super) fn search(&self, tool: &Tool) -> Lookup {
        self.find_once(&tool.placeholder(), || find::find_tool(self, tool).map(Arc::new))
    }

    pub fn probe(&self) -> &dyn Probe {
        self.probe.as_ref()
    }

    /// Threads that ask for the same tool at the same time wait for one search; others do not.
    fn find_once(&self, key: &str, find: impl FnOnce() -> Lookup) -> Lookup {
        let mut all = self.lookups.lock();
        let entry = Arc::clone(all.entry(key.to_owned()).or_default());
        drop(all);
        let mut known = entry.lock();
        if let Some(found) = &*known {
            return found.clone();
        }
        let found = self.probe.remote_lookup(key).unwrap_or_else(find);
        // Next time, the machine may not be short of it.
        if !found.as_ref().is_err_and(|tried| machine_fault(tried).is_some()) {
            *known = Some(found.clone());
        }
        found
    }
}

/// Every program sees these directories.
pub const SYSTEM_DIRS: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

pub fn is_system(path: &Path) -> bool {
    SYSTEM_DIRS.iter().any(|dir| path.starts_with(dir))
}
