//! A machine that exists in a test only: its tools, links and files are a list.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::language::probe::{AskFault, Lookup, Probe};

#[derive(Clone, Default)]
pub(in crate::language) struct ScriptedMachine {
    tools: Vec<ScriptedTool>,
    links: Vec<ScriptedLink>,
    absent: Vec<PathBuf>,
    /// The number of queries to the machine and its copies.
    pub(in crate::language) queries: Arc<AtomicUsize>,
}

#[derive(Clone)]
struct ScriptedTool {
    path: PathBuf,
    is_on_path: bool,
    answers: Vec<ScriptedAnswer>,
}

#[derive(Clone)]
struct ScriptedAnswer {
    args: &'static str,
    output: Result<String, AskFault>,
}

#[derive(Clone)]
struct ScriptedLink {
    from: PathBuf,
    to: PathBuf,
}

impl ScriptedMachine {
    /// A tool on the search path, behind those before it.
    pub(in crate::language) fn with_tool(mut self, path: &str) -> Self {
        self.tools.push(ScriptedTool { path: path.into(), is_on_path: true, answers: Vec::new() });
        self
    }

    /// A program outside the search path; it answers if it is started.
    pub(in crate::language) fn with_foreign_program(mut self, path: &str) -> Self {
        self = self.with_tool(path);
        if let Some(tool) = self.tools.last_mut() {
            tool.is_on_path = false;
            tool.answers.push(ScriptedAnswer {
                args: "",
                output: Ok("/started\nstarted\n/started\n".to_owned()),
            });
        }
        self
    }

    /// The last tool answers arguments that begin like this; it fails with all others.
    pub(in crate::language) fn with_answer(mut self, args: &'static str, answer: &str) -> Self {
        if let Some(tool) = self.tools.last_mut() {
            tool.answers.push(ScriptedAnswer { args, output: Ok(answer.to_owned()) });
        }
        self
    }

    /// When its arguments begin like this, the machine cannot start the last tool.
    pub(in crate::language) fn with_machine_fault(mut self, args: &'static str) -> Self {
        if let Some(tool) = self.tools.last_mut() {
            tool.answers.push(ScriptedAnswer {
                args,
                output: Err(AskFault::Machine(NO_PROCESSES.to_owned())),
            });
        }
        self
    }

    pub(in crate::language) fn with_link(mut self, from: &str, to: &str) -> Self {
        self.links.push(ScriptedLink { from: from.into(), to: to.into() });
        self
    }

    /// This path does not exist; all others do.
    pub(in crate::language) fn without_path(mut self, path: &str) -> Self {
        self.absent.push(path.into());
        self
    }

    pub(in crate::language) fn with_gcc(self, archives: &str) -> Self {
        self.with_tool("/usr/bin/gcc")
            .with_answer("--version", "gcc 12")
            .with_answer("-print-file-name", archives)
    }

    pub(in crate::language) fn with_gxx(self, archives: &str) -> Self {
        self.with_tool("/usr/bin/g++")
            .with_answer("--version", "g++ 12")
            .with_answer("-print-file-name", archives)
    }
}

pub(in crate::language) const NO_PROCESSES: &str = "no more processes";

pub(in crate::language) const NO_ARCHIVE: &str = "lib.a\n";

pub(in crate::language) const ARCHIVE: &str = "/usr/lib/lib.a\n";

impl Probe for ScriptedMachine {
    fn on_path(&self, name: &str) -> Vec<PathBuf> {
        if name.contains('/') {
            let path = PathBuf::from(name);
            return if self.absent.contains(&path) { Vec::new() } else { vec![path] };
        }
        let tools = self.tools.iter().filter(|tool| tool.is_on_path).map(|tool| tool.path.clone());
        tools.filter(|path| path.file_name().is_some_and(|file_name| file_name == name)).collect()
    }

    fn ask(&self, program: &Path, args: &[&str]) -> Result<String, AskFault> {
        self.queries.fetch_add(1, Ordering::Relaxed);
        let args = args.join(" ");
        let tool = self.tools.iter().find(|tool| tool.path == program);
        let answer =
            tool.and_then(|tool| tool.answers.iter().find(|answer| args.starts_with(answer.args)));
        answer.map_or_else(
            || Err("exit status: 127".to_owned().into()),
            |answer| answer.output.clone(),
        )
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        if self.absent.iter().any(|absent| path.starts_with(absent)) {
            return None;
        }
        for link in &self.links {
            if let Ok(rest) = path.strip_prefix(&link.from) {
                let target =
                    if rest.as_os_str().is_empty() { link.to.clone() } else { link.to.join(rest) };
                return self.real_path(&target);
            }
        }
        Some(path.to_path_buf())
    }

    fn link_chain(&self, path: &Path) -> Vec<PathBuf> {
        let mut hops = vec![path.to_path_buf()];
        while let Some(link) = self.links.iter().find(|link| Some(&link.from) == hops.last()) {
            hops.push(link.to.clone());
        }
        hops
    }

    fn links_out_of(&self, dir: &Path) -> Vec<PathBuf> {
        let links = self
            .links
            .iter()
            .filter(|link| link.from.starts_with(dir) && !link.to.starts_with(dir));
        links.map(|link| link.to.clone()).collect()
    }

    fn size(&self, _: &Path) -> Option<u64> {
        Some(8)
    }

    fn home(&self) -> Option<PathBuf> {
        Some("/home/u".into())
    }

    fn remote_lookup(&self, _: &str) -> Option<Lookup> {
        None
    }
}
