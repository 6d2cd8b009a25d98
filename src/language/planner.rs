//! How each form of a program becomes command lines: tools are found, templates filled.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::language::executable::{Executable, Shebang};
use crate::language::fault::{Fault, Unready};
use crate::language::plan::{BatchStep, BuildStep, HEAP, ProgramFile, Start};
use crate::language::recipe::Form;
use crate::language::table::{Build, CARGO_BUILD, Language, Tool};
use crate::language::toolchain::{Linking, Toolchain, Toolchains, is_system};
use crate::language::{BOX, PROGRAM};
use crate::model::job::{Command, Visible};

/// What differs between the forms of a program.
pub(super) struct Parts {
    pub(super) language: &'static str,
    pub(super) tools: Vec<String>,
    pub(super) build: Option<BuildStep>,
    pub(super) start: Start,
    pub(super) entry_point: Option<String>,
}

/// Plans each form of a program.
pub(super) fn parts(
    form: &Form,
    files: &[ProgramFile],
    toolchains: &Toolchains,
) -> Result<Parts, Unready> {
    let mut planner = Planner {
        toolchains,
        files,
        used: Vec::new(),
    };
    let parts = match form {
        Form::Language {
            language,
            sources,
            main,
        } => planner.language(language, sources, main.as_deref())?,
        Form::Cargo { binary } => planner.cargo(binary)?,
        Form::Scripts { build, run } => planner.scripts(build.as_ref(), run.as_ref())?,
        Form::Executable { file, executable } => planner.executable(file, executable)?,
    };
    let tools = planner.used.iter().map(|it| it.toolchain.version.clone());
    Ok(Parts {
        tools: tools.collect(),
        ..parts
    })
}

/// A tool that a plan uses.
struct Used {
    word: &'static str,
    toolchain: Arc<Toolchain>,
}

struct Planner<'a> {
    toolchains: &'a Toolchains,
    files: &'a [ProgramFile],
    used: Vec<Used>,
}

impl Planner<'_> {
    fn language(
        &mut self,
        language: &'static Language,
        sources: &[PathBuf],
        main: Option<&str>,
    ) -> Result<Parts, Unready> {
        let purpose = format!("judge {}", language.name);
        let binary = self.free_name("program");
        let words = Words {
            sources,
            main: main.unwrap_or_default(),
            binary: &binary,
        };
        let mut step = None;
        if let Some(build) = &language.build {
            self.find_all(build.argv, &purpose)?;
            let produces = match (language.code, main) {
                ("java", Some(class)) => {
                    PathBuf::from(format!("{}.class", class.replace('.', "/")))
                }
                _ => PathBuf::from(&binary),
            };
            step = Some(self.build_step(build, &words, produces));
        }
        let built = self.used.len();
        self.find_all(language.run, &purpose)?;
        let argv = self.fill(language.run, &words);
        // A built program does not see its compiler.
        let visible = self.visible(&self.used[built..]);
        let env = own_env(language.run_env);
        let heap = language.run.iter().any(|it| it.contains(HEAP));
        let command = Command { argv, env, visible };
        let start = match heap {
            true => Start::with_heap(command, language.run_processes),
            false => Start::plain(command, language.run_processes),
        };
        Ok(Parts {
            language: language.code,
            tools: Vec::new(),
            build: step,
            start,
            entry_point: main.map(str::to_owned),
        })
    }

    fn cargo(&mut self, binary: &str) -> Result<Parts, Unready> {
        let purpose = "judge a Rust project";
        for tool in [Tool::Cargo, Tool::Rustc, Tool::Cc] {
            self.find(tool, purpose)?;
        }
        let words = Words {
            sources: &[],
            main: binary,
            binary,
        };
        let produces = Path::new("target/release").join(binary);
        let step = self.build_step(&CARGO_BUILD, &words, produces.clone());
        Ok(Parts {
            language: "rust",
            tools: Vec::new(),
            build: Some(step),
            start: Start::plain(
                Command {
                    argv: vec![inside(&produces)],
                    ..Command::default()
                },
                0,
            ),
            entry_point: Some(binary.to_owned()),
        })
    }

    /// `build` and `run` may call `python3`, `cc` and `c++` by name, where the machine has them.
    fn scripts(
        &mut self,
        build: Option<&Executable>,
        run: Option<&Executable>,
    ) -> Result<Parts, Unready> {
        for tool in [Tool::Python, Tool::Cc, Tool::Cxx] {
            // A script that needs none of them works without; one that does says so itself.
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
                    produces: PathBuf::from("run"),
                    scratch: Vec::new(),
                    batch: None,
                })
            }
            None => None,
        };
        let start = match run {
            Some(executable) => self.start_file("run", PROGRAM, executable)?,
            None => Command {
                argv: vec![inside(Path::new("run"))],
                ..Command::default()
            },
        };
        Ok(Parts {
            language: "scripts",
            tools: Vec::new(),
            build,
            start: Start::plain(add(start), 64),
            entry_point: None,
        })
    }

    fn executable(&self, file: &Path, executable: &Executable) -> Result<Parts, Unready> {
        let command = self.start_file(&file.to_string_lossy(), PROGRAM, executable)?;
        Ok(Parts {
            language: "executable",
            tools: Vec::new(),
            build: None,
            start: Start::plain(command, 0),
            entry_point: None,
        })
    }

    /// Starts a file of the program that lies in this directory.
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

    /// Finds all tools whose words stand in a template.
    fn find_all(&mut self, template: &[&str], purpose: &str) -> Result<(), Unready> {
        for tool in Tool::ALL {
            if template.iter().any(|it| it.contains(tool.word())) {
                self.find(tool, purpose)?;
            }
        }
        Ok(())
    }

    fn find(&mut self, tool: Tool, purpose: &str) -> Result<(), Unready> {
        let toolchain = self.toolchains.tool(tool, purpose)?;
        self.used.push(Used {
            word: tool.word(),
            toolchain,
        });
        Ok(())
    }

    fn build_step(&self, build: &Build, words: &Words<'_>, produces: PathBuf) -> BuildStep {
        let mut env: Vec<(String, String)> = build
            .env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), self.fill_tools(value)))
            .collect();
        env.push(self.path());
        env.push(temporary());
        BuildStep {
            command: Command {
                argv: self.fill(build.argv, words),
                env,
                visible: self.visible(&self.used),
            },
            processes: build.processes,
            produces,
            scratch: build.scratch.iter().map(PathBuf::from).collect(),
            batch: self.batch(build),
        }
    }

    /// What a program that runs on many inputs at once is built with in addition.
    fn batch(&self, build: &Build) -> Option<BatchStep> {
        let mut source = "batch.c".to_owned();
        while self.files.iter().any(|it| it.name.starts_with(&source)) {
            source.insert(0, '_');
        }
        let args = build.batch.iter().map(|it| it.replace("{batch}", &source));
        let args: Vec<String> = args.collect();
        (!args.is_empty()).then(|| BatchStep {
            source: PathBuf::from(source),
            args,
        })
    }

    fn fill(&self, template: &[&str], words: &Words<'_>) -> Vec<String> {
        let is_static = self
            .used
            .iter()
            .any(|it| it.toolchain.linking == Linking::Static);
        let mut argv = Vec::new();
        for word in template {
            match *word {
                "{sources}" => argv.extend(
                    words
                        .sources
                        .iter()
                        .map(|it| guarded(&it.to_string_lossy())),
                ),
                "{static}" if is_static => argv.push("-static".to_owned()),
                "{crt_static}" if is_static => argv.push("-Ctarget-feature=+crt-static".to_owned()),
                "{static}" | "{crt_static}" => {}
                _ => {
                    let word = self.fill_tools(word);
                    let main = match word.starts_with("{main}") {
                        true => guarded(words.main),
                        false => words.main.to_owned(),
                    };
                    argv.push(
                        word.replace("{binary}", words.binary)
                            .replace("{main}", &main),
                    );
                }
            }
        }
        argv
    }

    fn fill_tools(&self, word: &str) -> String {
        let mut word = word.to_owned();
        for used in &self.used {
            word = word.replace(used.word, &used.toolchain.program.to_string_lossy());
        }
        word
    }

    fn visible(&self, used: &[Used]) -> Vec<Visible> {
        let mut all = Vec::new();
        for used in used {
            merge(&mut all, &used.toolchain.visible);
        }
        all
    }

    /// The search path: the directories of the tools, then the system's.
    fn path(&self) -> (String, String) {
        let mut dirs: Vec<String> = Vec::new();
        let tools = self
            .used
            .iter()
            .filter_map(|it| it.toolchain.program.parent());
        let tools = tools
            .filter(|it| !is_system(it))
            .map(|it| it.to_string_lossy().into_owned());
        let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(str::to_owned);
        for dir in tools.chain(system) {
            if !dirs.contains(&dir) {
                dirs.push(dir);
            }
        }
        ("PATH".to_owned(), dirs.join(":"))
    }

    /// This name, or one with underscores, that none of the program's files has.
    fn free_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.files.iter().any(|it| it.name.starts_with(&name)) {
            name.push('_');
        }
        name
    }
}

/// What fills a template.
struct Words<'a> {
    sources: &'a [PathBuf],
    main: &'a str,
    binary: &'a str,
}

/// The command that starts an executable at this path inside.
pub(super) fn start(
    path: &str,
    executable: &Executable,
    toolchains: &Toolchains,
) -> Result<Command, Fault> {
    match executable {
        Executable::Binary { loader } => {
            let mut command = Command {
                argv: vec![path.to_owned()],
                ..Command::default()
            };
            if let Some(loader) = loader {
                let name = loader.to_string_lossy();
                let found = interpreter(&name, toolchains)?;
                command.visible = found.visible.clone();
            }
            Ok(command)
        }
        Executable::Script(Shebang {
            interpreter: name,
            arguments,
        }) => {
            let found = interpreter(name, toolchains)?;
            let mut argv = vec![found.program.to_string_lossy().into_owned()];
            argv.extend(arguments.iter().cloned());
            argv.push(path.to_owned());
            Ok(Command {
                argv,
                env: Vec::new(),
                visible: found.visible.clone(),
            })
        }
    }
}

fn interpreter(name: &str, toolchains: &Toolchains) -> Result<Arc<Toolchain>, Fault> {
    toolchains.named(name, "start it").map_err(|_| {
        let message = format!("needs `{name}`, which is not on this machine");
        Fault::new(message, "install it, or change what asks for it")
    })
}

/// The place for temporary files of compilers: the box is writable, `/tmp` may not be there.
fn temporary() -> (String, String) {
    ("TMPDIR".to_owned(), BOX.to_owned())
}

fn inside(name: &Path) -> String {
    format!("{PROGRAM}/{}", name.display())
}

/// A source as an argument that no compiler takes for an option or a list of options.
fn guarded(source: &str) -> String {
    match source.starts_with(['-', '@']) {
        true => format!("./{source}"),
        false => source.to_owned(),
    }
}

fn own_env(env: &[(&str, &str)]) -> Vec<(String, String)> {
    env.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// Adds what is not shown yet.
pub(super) fn merge(all: &mut Vec<Visible>, more: &[Visible]) {
    for visible in more {
        if all.iter().any(|it| visible.inside.starts_with(&it.inside)) {
            continue;
        }
        all.retain(|it| !it.inside.starts_with(&visible.inside));
        all.push(visible.clone());
    }
}
