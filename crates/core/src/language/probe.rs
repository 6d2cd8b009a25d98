//! Queries to a machine about its tools, and its answers. The sandbox implements them; tests have a scripted machine.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::job::{VisibleContent, VisiblePath};
use crate::judgement::JudgeError;
use crate::serial::PathBytes;

pub trait Probe: Send + Sync {
    /// The executable files of this name on the search path, in its order; a name with a slash is an absolute path.
    fn on_path(&self, name: &str) -> Vec<PathBuf>;

    /// Starts a tool and returns its output, standard output first.
    ///
    /// Returns an error if it cannot be started, fails, or takes too long.
    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, AskFault>;

    /// `None` if the path does not exist.
    fn real_path(&self, path: &Path) -> Option<PathBuf>;

    /// The chain of paths to which the last part of this one leads through symbolic links.
    fn link_chain(&self, path: &Path) -> Vec<PathBuf>;

    /// Targets outside of this directory of the symbolic links in it.
    fn links_out_of(&self, dir: &Path) -> Vec<PathBuf>;

    /// In bytes; `None` if the file does not exist.
    fn size(&self, path: &Path) -> Option<u64>;

    fn home(&self) -> Option<PathBuf>;

    /// The result on the machines that run programs, if that is not this one.
    fn remote_lookup(&self, word: &str) -> Option<Lookup>;
}

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

/// A tool, or the candidates that were found but did not work.
pub type Lookup = Result<Arc<Toolchain>, Vec<FailedCandidate>>;

/// A candidate for a tool that gave no sensible answer.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCandidate {
    #[serde_as(as = "PathBytes")]
    pub program: PathBuf,
    pub fault: AskFault,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum AskFault {
    #[error("{0}")]
    Tool(String),
    /// The machine is short of something: nothing is known about the tool.
    #[error("{0}")]
    Machine(String),
    /// Nobody is left who could answer. A worker cannot say that.
    #[error(transparent)]
    #[serde(skip)]
    Judge(Box<JudgeError>),
}

impl From<String> for AskFault {
    fn from(why: String) -> Self {
        Self::Tool(why)
    }
}

/// Removes `.` and `..` from the text. Links do not matter.
pub fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}
