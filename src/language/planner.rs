//! Makes the command lines of a program: finds tools, and fills templates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::language::executable::Executable;
use crate::language::fault::{ProgramFault, Unready};
use crate::language::plan::{BatchStep, BuildPlan, BuildStep, Start, Written};
use crate::language::recipe::{Form, Recipe};
use crate::language::table::Language;
use crate::language::tool::{TOOLS, Tool};
use crate::language::toolchain::{Linking, Toolchain, Toolchains, is_system};
use crate::language::{BOX, PROGRAM};
use crate::model::job::{Command, Shown};
use crate::model::tree::{Node, TreeEntry};

/// Plans the commands for a recipe, with the tools of this machine.
///
/// # Errors
/// If a tool is missing, or the program cannot be started.
pub fn plan(recipe: Recipe, toolchains: &Toolchains) -> Result<BuildPlan, Unready> {
    let mut files = recipe.files;
    if let Form::Language { language, .. } = &recipe.form {
        // No file of a submission has such a name, because it begins with a dot.
        files.extend(
            language.beside.map(|(name, text)| TreeEntry::new(name, Node::plain(text.as_bytes()))),
        );
    }
    let mut planner = Planner { toolchains, files: &files, used: Vec::new() };
    let plan = match &recipe.form {
        Form::Language { language, sources, main } => {
            planner.language(language, sources, main.as_deref())?
        }
        Form::Scripts { build, run } => planner.scripts(build.as_ref(), run.as_ref())?,
        Form::Answers => BuildPlan::ready(Written::Answers, Start::plain(Command::default(), 0)),
        Form::Executable { file, executable } => {
            let start = planner.start_file(&file.to_string_lossy(), PROGRAM, executable)?;
            BuildPlan::ready(Written::Executable, Start::plain(start, 0))
        }
    };
    let tools = planner.used.iter().map(|it| it.toolchain.version.clone());
    Ok(BuildPlan { tools: tools.collect(), files, ..plan })
}

const CHECK: &str = include_str!("check.py");

struct Used {
    word: String,
    toolchain: Arc<Toolchain>,
}

struct Planner<'a> {
    toolchains: &'a Toolchains,
    files: &'a [TreeEntry],
    used: Vec<Used>,
}

impl Planner<'_> {
    fn language(
        &mut self,
        language: &'static Language,
        sources: &[PathBuf],
        main: Option<&str>,
    ) -> Result<BuildPlan, Unready> {
        let verb = if language.build.is_empty() { "run" } else { "build" };
        let purpose = format!("{verb} {} programs", language.name);
        let words =
            Words { sources, main: main.unwrap_or_default(), binary: &self.free_name("program") };
        let mut build = None;
        if !language.build.is_empty() {
            self.find_all(&[language.build, language.build_env], &purpose)?;
            let produces = PathBuf::from(self.fill_word(language.product, &words));
            build = Some(self.build_step(language, language.build, Some(produces), &words));
        }
        let built = self.used.len();
        self.find_all(&[language.run, language.run_env], &purpose)?;
        if !language.check.is_empty() {
            build = Some(self.build_step(language, language.check, None, &words));
        }
        let command = Command {
            argv: self.fill(language.run, &words),
            env: self.env(language.run_env),
            // A built program does not see its compiler.
            visible: self.visible(&self.used[built..]),
        };
        let start = Start::plain(command, language.run_processes);
        Ok(BuildPlan {
            build,
            batch: self.batch(language),
            entry_point: main.map(str::to_owned),
            ..BuildPlan::ready(Written::In(language), start.with_heap())
        })
    }

    /// `build` and `run` may call `python3`, `cc` and `c++` by name, if the machine has them.
    fn scripts(
        &mut self,
        build: Option<&Executable>,
        run: Option<&Executable>,
    ) -> Result<BuildPlan, Unready> {
        for tool in TOOLS.iter().filter(|it| ["python3", "gcc", "g++"].contains(&it.name())) {
            // A script may not need the missing tool; one that does reports it itself.
            let _ = self.find(tool, "run scripts");
        }
        let env = [self.path()];
        let visible = self.visible(&self.used);
        let add = |mut command: Command| {
            command.env.extend(env.iter().cloned());
            merge(&mut command.visible, &visible);
            command
        };
        let build = match build {
            Some(executable) => {
                let mut command = add(self.start_file("build", BOX, executable)?);
                command.env.push(temporary());
                Some(BuildStep {
                    command,
                    processes: 256,
                    produces: Some(PathBuf::from("run")),
                    scratch: Vec::new(),
                })
            }
            None => None,
        };
        let start = match run {
            Some(executable) => self.start_file("run", PROGRAM, executable)?,
            None => Command { argv: vec![format!("{PROGRAM}/run")], ..Command::default() },
        };
        Ok(BuildPlan { build, ..BuildPlan::ready(Written::Scripts, Start::plain(add(start), 64)) })
    }

    fn start_file(
        &self,
        name: &str,
        dir: &str,
        executable: &Executable,
    ) -> Result<Command, Unready> {
        let path = format!("{dir}/{name}");
        let command = start(&path, executable, self.toolchains);
        Ok(command.map_err(|fault| fault.of(Path::new(name)))?)
    }

    fn find_all(&mut self, templates: &[&str], purpose: &str) -> Result<(), Unready> {
        for tool in &TOOLS {
            if templates.iter().any(|it| it.contains(&tool.word())) {
                self.find(tool, purpose)?;
            }
        }
        Ok(())
    }

    fn find(&mut self, tool: &Tool, purpose: &str) -> Result<(), Unready> {
        let toolchain = self.toolchains.tool(tool, purpose)?;
        self.used.push(Used { word: tool.word(), toolchain });
        Ok(())
    }

    fn build_step(
        &self,
        language: &Language,
        line: &str,
        produces: Option<PathBuf>,
        words: &Words<'_>,
    ) -> BuildStep {
        let mut env = self.env(language.build_env);
        env.push(self.path());
        env.push(temporary());
        let scratch = language.scratch.split_whitespace();
        BuildStep {
            command: Command {
                argv: self.fill(line, words),
                env,
                visible: self.visible(&self.used),
            },
            processes: language.build_processes.max(language.run_processes),
            produces,
            scratch: scratch.map(PathBuf::from).collect(),
        }
    }

    fn batch(&self, language: &Language) -> Option<BatchStep> {
        let mut source = format!("batch.{}", language.batch_source);
        while self.files.iter().any(|it| it.name.starts_with(&source)) {
            source.insert(0, '_');
        }
        let filled = |words: &str| -> Vec<String> {
            words.split_whitespace().map(|it| it.replace("{batch}", &source)).collect()
        };
        let (build, start) = (filled(language.batch_build), filled(language.batch_start));
        let is_there = !language.batch_source.is_empty();
        is_there.then(|| BatchStep { source: PathBuf::from(&source), build, start })
    }

    fn fill(&self, template: &str, words: &Words<'_>) -> Vec<String> {
        let tools = || self.used.iter().map(|it| &it.toolchain);
        let is_static = tools().any(|it| it.linking == Linking::Static);
        let mut argv = Vec::new();
        for word in template.split_whitespace() {
            match word {
                "{sources}" => {
                    let sources = words.sources.iter();
                    argv.extend(sources.map(|it| guarded(&it.to_string_lossy())));
                }
                "{main}" => argv.push(guarded(words.main)),
                "{check.py}" => argv.push(CHECK.to_owned()),
                "{static}" if is_static => argv.push("-static".to_owned()),
                "{crt_static}" if is_static => argv.push("-Ctarget-feature=+crt-static".to_owned()),
                "{static}" | "{crt_static}" => {}
                "{lld}" => {
                    if let Some(dir) = tools().find_map(|it| it.lld()) {
                        argv.push("-Clink-arg=-fuse-ld=lld".to_owned());
                        argv.push(format!("-Clink-arg=-B{}", dir.display()));
                    }
                }
                _ => argv.push(self.fill_word(word, words)),
            }
        }
        argv
    }

    fn fill_word(&self, word: &str, words: &Words<'_>) -> String {
        self.fill_tools(word)
            .replace("{binary}", words.binary)
            .replace("{class}", &words.main.replace('.', "/"))
            .replace("{stem}", &Path::new(words.main).with_extension("").to_string_lossy())
            .replace("{main}", words.main)
    }

    fn fill_tools(&self, word: &str) -> String {
        self.used.iter().fold(word.to_owned(), |word, used| {
            word.replace(&used.word, &used.toolchain.program.to_string_lossy())
        })
    }

    /// `template` has `NAME=VALUE`, separated by spaces.
    fn env(&self, template: &str) -> Vec<(String, String)> {
        let pairs = template.split_whitespace().filter_map(|it| it.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), self.fill_tools(value))).collect()
    }

    fn visible(&self, used: &[Used]) -> Vec<Shown> {
        let mut all = Vec::new();
        for used in used {
            merge(&mut all, &used.toolchain.shown());
        }
        all
    }

    /// The directories of the tools come before the system's.
    fn path(&self) -> (String, String) {
        let mut dirs: Vec<String> = Vec::new();
        let tools = self.used.iter().filter_map(|it| it.toolchain.program.parent());
        let tools = tools.filter(|it| !is_system(it)).map(|it| it.to_string_lossy().into_owned());
        let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(str::to_owned);
        for dir in tools.chain(system) {
            if !dirs.contains(&dir) {
                dirs.push(dir);
            }
        }
        ("PATH".to_owned(), dirs.join(":"))
    }

    /// Adds underscores until no file of the program has this name.
    fn free_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.files.iter().any(|it| it.name.starts_with(&name)) {
            name.push('_');
        }
        name
    }
}

struct Words<'a> {
    sources: &'a [PathBuf],
    main: &'a str,
    binary: &'a str,
}

pub(super) fn start(
    path: &str,
    executable: &Executable,
    toolchains: &Toolchains,
) -> Result<Command, ProgramFault> {
    match executable {
        Executable::Binary => Ok(Command { argv: vec![path.to_owned()], ..Command::default() }),
        Executable::Script { interpreter: name, arguments } => {
            let found = interpreter(name, toolchains)?;
            let mut argv = vec![found.program.to_string_lossy().into_owned()];
            argv.extend(arguments.iter().cloned());
            argv.push(path.to_owned());
            Ok(Command { argv, env: Vec::new(), visible: found.shown() })
        }
    }
}

fn interpreter(name: &str, toolchains: &Toolchains) -> Result<Arc<Toolchain>, ProgramFault> {
    toolchains.named(name, "start it").map_err(|_| {
        let (place, help) = if name.contains('/') {
            ("in a directory of the system or of the search path", "name an installed program")
        } else {
            ("on this machine", "install it, or change the file that names it")
        };
        ProgramFault::new(format!("needs `{name}`, which is not {place}"), help)
    })
}

/// The directory for temporary files of compilers: the box is writable, `/tmp` may not exist.
fn temporary() -> (String, String) {
    ("TMPDIR".to_owned(), BOX.to_owned())
}

/// A source as an argument that no compiler mistakes for an option or a list of options.
fn guarded(source: &str) -> String {
    if source.starts_with(['-', '@']) { format!("./{source}") } else { source.to_owned() }
}

pub(super) fn merge(all: &mut Vec<Shown>, more: &[Shown]) {
    for visible in more {
        if all.iter().any(|it| visible.inside.starts_with(&it.inside)) {
            continue;
        }
        all.retain(|it| !it.inside.starts_with(&visible.inside));
        all.push(visible.clone());
    }
}
