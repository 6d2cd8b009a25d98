//! Makes the command lines of a program: finds tools, and fills templates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::job::{Command, VisiblePath};
use crate::language::commands::{BatchStep, BuildCommands, BuildStep, ProgramLanguage};
use crate::language::executable::Executable;
use crate::language::fault::{LaunchFault, ProgramFault};
use crate::language::launch::{LaunchForm, LaunchSpec};
use crate::language::probe::{Linking, Toolchain};
use crate::language::table::Language;
use crate::language::tool::{TOOLS, Tool};
use crate::language::toolchain::{Toolchains, is_system, machine_fault};
use crate::language::{BOX, PROGRAM};
use crate::program::BuildVariant;
use crate::tree::{Node, TreeEntry};

/// Plans the commands for a recipe, with the tools of this machine.
///
/// # Errors
/// If a tool is missing, the program cannot be started, or flags are for a program that is not built.
pub fn plan_commands(
    recipe: LaunchSpec,
    variant: &BuildVariant,
    toolchains: &Toolchains,
) -> Result<BuildCommands, LaunchFault> {
    let mut files = recipe.files;
    if let LaunchForm::Language { language, .. } = &recipe.form {
        // No file of a submission has such a name, because it begins with a dot.
        files.extend(
            language
                .extra_file
                .map(|(name, text)| TreeEntry::new(name, Node::plain(text.as_bytes()))),
        );
    }
    let mut planner = CommandPlanner { toolchains, variant, files: &files, used: Vec::new() };
    let plan = match &recipe.form {
        LaunchForm::Language { language, sources, main } => {
            planner.plan_language(language, sources, main.as_deref())?
        }
        LaunchForm::Scripts { build, run } => planner.plan_scripts(build.as_ref(), run.as_ref())?,
        LaunchForm::Answers => BuildCommands::without_program(ProgramLanguage::Answers),
        LaunchForm::Executable { file, executable } => {
            let start = planner.start_file(&file.to_string_lossy(), PROGRAM, executable)?;
            BuildCommands::without_build(ProgramLanguage::Executable, start, 0)
        }
    };
    if !variant.flags.is_empty() && plan.build.as_ref().is_none_or(|step| step.produces.is_none()) {
        let what = match plan.language {
            ProgramLanguage::Known(language) => format!("{} is", language.name),
            _ => "it is".to_owned(),
        };
        let message = format!("cannot be built with --flags: {what} not compiled");
        return Err(ProgramFault::new(message, "leave --flags out").into());
    }
    let tools = planner.used.iter().map(|tool| tool.toolchain.version.clone());
    Ok(BuildCommands { tools: tools.collect(), files, ..plan })
}

const PYTHON_CHECK: &str = include_str!("check.py");

struct UsedTool {
    placeholder: String,
    toolchain: Arc<Toolchain>,
}

struct CommandPlanner<'a> {
    toolchains: &'a Toolchains,
    variant: &'a BuildVariant,
    files: &'a [TreeEntry],
    used: Vec<UsedTool>,
}

impl CommandPlanner<'_> {
    fn plan_language(
        &mut self,
        language: &'static Language,
        sources: &[PathBuf],
        main: Option<&str>,
    ) -> Result<BuildCommands, LaunchFault> {
        let verb = if language.build.is_empty() { "run" } else { "build" };
        let purpose = format!("{verb} {} programs", language.name);
        let words = TemplateWords {
            sources,
            main: main.unwrap_or_default(),
            flags: &self.flags(language),
            checks: self.if_debug(language.debug_run),
            binary: &self.unused_name("program"),
        };
        let mut build = None;
        if !language.build.is_empty() {
            self.find_tools(&[language.build, language.build_env], &purpose)?;
            let produces = PathBuf::from(self.fill_word(language.product, &words));
            build = Some(self.build_step(language, language.build, Some(produces), &words));
        }
        let build_tools = self.used.len();
        self.find_tools(&[language.run, language.run_env], &purpose)?;
        if !language.check.is_empty() {
            build = Some(self.build_step(language, language.check, None, &words));
        }
        let command = Command {
            argv: self.fill_line(language.run, &words),
            env: self.env(&format!("{} {}", language.run_env, self.if_debug(language.debug_env))),
            // A built program does not see its compiler.
            visible: self.visible(&self.used[build_tools..]),
        };
        let known = ProgramLanguage::Known(language);
        let plan = BuildCommands::without_build(known, command, language.run_processes);
        Ok(BuildCommands {
            build,
            start: plan.start.with_heap(),
            batch: self.batch_step(language),
            entry_point: main.map(str::to_owned),
            ..plan
        })
    }

    /// `build` and `run` may call `python3`, `cc` and `c++` by name, if the machine has them.
    fn plan_scripts(
        &mut self,
        build: Option<&Executable>,
        run: Option<&Executable>,
    ) -> Result<BuildCommands, LaunchFault> {
        for tool in TOOLS.iter().filter(|tool| ["python3", "gcc", "g++"].contains(&tool.name())) {
            // A script may not need the missing tool; one that does reports it itself.
            let _ = self.find_tool(tool, "run scripts");
        }
        let env = [self.search_path()];
        let visible = self.visible(&self.used);
        let add = |mut command: Command| {
            command.env.extend(env.iter().cloned());
            merge_visible(&mut command.visible, &visible);
            command
        };
        let build = match build {
            Some(executable) => {
                let command = add(self.start_file("build", BOX, executable)?);
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
        let plan = BuildCommands::without_build(ProgramLanguage::Scripts, add(start), 64);
        Ok(BuildCommands { build, ..plan })
    }

    fn start_file(
        &self,
        name: &str,
        dir: &str,
        executable: &Executable,
    ) -> Result<Command, LaunchFault> {
        let path = format!("{dir}/{name}");
        let command = start_command(&path, executable, self.toolchains);
        command.map_err(|fault| fault.about_file(Path::new(name)))
    }

    fn find_tools(&mut self, templates: &[&str], purpose: &str) -> Result<(), LaunchFault> {
        for tool in &TOOLS {
            if templates.iter().any(|template| template.contains(&tool.placeholder())) {
                self.find_tool(tool, purpose)?;
            }
        }
        Ok(())
    }

    fn find_tool(&mut self, tool: &Tool, purpose: &str) -> Result<(), LaunchFault> {
        let toolchain = self.toolchains.find(tool, purpose)?;
        self.used.push(UsedTool { placeholder: tool.placeholder(), toolchain });
        Ok(())
    }

    fn build_step(
        &self,
        language: &Language,
        line: &str,
        produces: Option<PathBuf>,
        words: &TemplateWords<'_>,
    ) -> BuildStep {
        let mut env = self.env(language.build_env);
        env.push(self.search_path());
        let scratch = language.scratch.split_whitespace();
        BuildStep {
            command: Command {
                argv: self.fill_line(line, words),
                env,
                visible: self.visible(&self.used),
            },
            processes: language.build_processes.max(language.run_processes),
            produces,
            scratch: scratch.map(PathBuf::from).collect(),
        }
    }

    fn batch_step(&self, language: &Language) -> Option<BatchStep> {
        let mut source = format!("batch.{}", language.batch_source);
        while self.files.iter().any(|file| file.name.starts_with(&source)) {
            source.insert(0, '_');
        }
        let filled = |words: &str| -> Vec<String> {
            words.split_whitespace().map(|word| word.replace("{batch}", &source)).collect()
        };
        let (build, start) = (filled(language.batch_build), filled(language.batch_start));
        let coverage = filled(language.batch_coverage);
        let is_there = !language.batch_source.is_empty();
        is_there.then(|| BatchStep { source: PathBuf::from(&source), build, coverage, start })
    }

    fn if_debug(&self, words: &'static str) -> &'static str {
        if self.variant.debug { words } else { "" }
    }

    /// The user's words come last, so that they win.
    fn flags(&self, language: &Language) -> Vec<String> {
        let own = self.if_debug(language.debug_build).split_whitespace().map(str::to_owned);
        own.chain(self.variant.flags.iter().cloned()).collect()
    }

    fn fill_line(&self, template: &str, words: &TemplateWords<'_>) -> Vec<String> {
        let tools = || self.used.iter().map(|used| &used.toolchain);
        // No sanitizer can be in a static program.
        let is_static = !self.variant.debug && tools().any(|tool| tool.linking == Linking::Static);
        let mut argv = Vec::new();
        for word in template.split_whitespace() {
            match word {
                "{sources}" => {
                    let sources = words.sources.iter();
                    argv.extend(sources.map(|name| guard_argument(&name.to_string_lossy())));
                }
                "{main}" => argv.push(guard_argument(words.main)),
                "{flags}" => argv.extend(words.flags.iter().cloned()),
                "{checks}" => argv.extend(words.checks.split_whitespace().map(str::to_owned)),
                "{check.py}" => argv.push(PYTHON_CHECK.to_owned()),
                "{static}" if is_static => argv.push("-static".to_owned()),
                "{crt_static}" if is_static => argv.push("-Ctarget-feature=+crt-static".to_owned()),
                "{static}" | "{crt_static}" => {}
                "{lld}" => {
                    if let Some(dir) = tools().find_map(|tool| tool.lld.as_ref()) {
                        argv.push("-Clink-arg=-fuse-ld=lld".to_owned());
                        argv.push(format!("-Clink-arg=-B{}", dir.display()));
                    }
                }
                _ => argv.push(self.fill_word(word, words)),
            }
        }
        argv
    }

    fn fill_word(&self, word: &str, words: &TemplateWords<'_>) -> String {
        self.fill_tools(word)
            .replace("{binary}", words.binary)
            .replace("{class}", &words.main.replace('.', "/"))
            .replace("{stem}", &Path::new(words.main).with_extension("").to_string_lossy())
            .replace("{main}", words.main)
    }

    fn fill_tools(&self, word: &str) -> String {
        self.used.iter().fold(word.to_owned(), |word, used| {
            word.replace(&used.placeholder, &used.toolchain.program.to_string_lossy())
        })
    }

    /// `template` has `NAME=VALUE`, separated by spaces.
    fn env(&self, template: &str) -> Vec<(String, String)> {
        let pairs = template.split_whitespace().filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), self.fill_tools(value))).collect()
    }

    fn visible(&self, used: &[UsedTool]) -> Vec<VisiblePath> {
        let mut all = Vec::new();
        for used in used {
            merge_visible(&mut all, &used.toolchain.visible_paths());
        }
        all
    }

    /// The directories of the tools come before the system's.
    fn search_path(&self) -> (String, String) {
        let mut dirs: Vec<String> = Vec::new();
        let tools = self.used.iter().filter_map(|used| used.toolchain.program.parent());
        let tools = tools.filter(|dir| !is_system(dir)).map(|dir| dir.display().to_string());
        let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(str::to_owned);
        for dir in tools.chain(system) {
            if !dirs.contains(&dir) {
                dirs.push(dir);
            }
        }
        ("PATH".to_owned(), dirs.join(":"))
    }

    /// Adds underscores until no file of the program has this name.
    fn unused_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.files.iter().any(|file| file.name.starts_with(&name)) {
            name.push('_');
        }
        name
    }
}

struct TemplateWords<'a> {
    sources: &'a [PathBuf],
    main: &'a str,
    flags: &'a [String],
    checks: &'static str,
    binary: &'a str,
}

pub(super) fn start_command(
    path: &str,
    executable: &Executable,
    toolchains: &Toolchains,
) -> Result<Command, LaunchFault> {
    match executable {
        Executable::Binary => Ok(Command { argv: vec![path.to_owned()], ..Command::default() }),
        Executable::Script { interpreter: name, arguments } => {
            let toolchain = find_interpreter(name, toolchains)?;
            let mut argv = vec![toolchain.program.to_string_lossy().into_owned()];
            argv.extend(arguments.iter().cloned());
            argv.push(path.to_owned());
            Ok(Command { argv, env: Vec::new(), visible: toolchain.visible_paths() })
        }
    }
}

fn find_interpreter(name: &str, toolchains: &Toolchains) -> Result<Arc<Toolchain>, LaunchFault> {
    toolchains.find_named(name, "start it").map_err(|missing| {
        if machine_fault(&missing.tried).is_some() {
            return missing.into();
        }
        let (condition, help) = if name.contains('/') {
            ("in a directory of the system or of the search path", "name an installed program")
        } else {
            ("on this machine", "install it, or change the file that names it")
        };
        ProgramFault::new(format!("needs `{name}`, which is not {condition}"), help).into()
    })
}

/// A source as an argument that no compiler mistakes for an option or a list of options.
fn guard_argument(source: &str) -> String {
    if source.starts_with(['-', '@']) { format!("./{source}") } else { source.to_owned() }
}

pub(super) fn merge_visible(all: &mut Vec<VisiblePath>, more: &[VisiblePath]) {
    for visible in more {
        if all.iter().any(|other| visible.inside.starts_with(&other.inside)) {
            continue;
        }
        all.retain(|other| !other.inside.starts_with(&visible.inside));
        all.push(visible.clone());
    }
}
