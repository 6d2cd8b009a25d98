//! Makes the commands for what the user typed, such as `./a.out --fast` or `python3 sol.py`.
//!
//! The program runs in a box and sees only those parts of the user's directory that the command names: the program
//! itself, and arguments that are files or directories. Those below the current directory have the same relative name
//! in the box; others keep their absolute path.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::blob::Blob;
use crate::job::{Command, VisibleContent, VisiblePath};
use crate::language::PROGRAM;
use crate::language::command_planner;
use crate::language::commands::{BuildCommands, ProgramLanguage};
use crate::language::executable;
use crate::language::fault::{LaunchFault, ProgramFault};
use crate::language::probe::normalize;
use crate::language::toolchain::{Toolchains, is_system, known_interpreter, machine_fault};
use crate::root::FilePath;
use crate::tree::{FileMode, Node, TreeEntry};

/// Any command may be a virtual machine, so there is room for its threads.
const PROCESSES: u32 = 64;

/// `cwd` is the absolute path of the directory in which the command was typed.
pub fn command_line(
    argv: &[OsString],
    cwd: &Path,
    toolchains: &Toolchains,
) -> Result<BuildCommands, LaunchFault> {
    let mut words = Vec::new();
    for word in argv {
        let text = word.to_str().ok_or_else(|| {
            let message = format!("`{}` is not UTF-8", word.to_string_lossy());
            ProgramFault::new(message, "rename the file")
        })?;
        words.push(text.to_owned());
    }
    let (program, args) = words.split_first().ok_or_else(|| {
        ProgramFault::new("no command", "write it after `--`, such as `-- ./a.out`")
    })?;
    let mut typed = TypedCommand { cwd, toolchains, files: Vec::new(), tools: Vec::new() };
    let mut command = if program.contains('/') {
        typed.program_at_path(program)?
    } else {
        typed.find_program(program)?
    };
    for arg in args {
        let shown = typed.map_argument(arg, &mut command.visible)?;
        command.argv.push(shown);
    }
    Ok(BuildCommands {
        tools: typed.tools,
        files: typed.files,
        ..BuildCommands::without_build(ProgramLanguage::Command, command, PROCESSES)
    })
}

struct TypedCommand<'a> {
    cwd: &'a Path,
    toolchains: &'a Toolchains,
    files: Vec<TreeEntry>,
    tools: Vec<String>,
}

impl TypedCommand<'_> {
    fn find_program(&mut self, name: &str) -> Result<Command, LaunchFault> {
        let lookup = self.toolchains.find_named(name, "run the command");
        let is_unknown = lookup.as_ref().is_err_and(|fault| machine_fault(&fault.tried).is_none());
        if is_unknown && self.cwd.join(name).exists() {
            let message = format!("no `{name}` on the search path");
            let help = format!("write `./{name}` for the one in this directory");
            return Err(ProgramFault::new(message, help).into());
        }
        let tool = lookup?;
        if !tool.version.is_empty() {
            self.tools.push(tool.version.clone());
        }
        if is_system(&tool.program) || known_interpreter(name).is_some() {
            return Ok(Command {
                argv: vec![tool.program.to_string_lossy().into_owned()],
                env: Vec::new(),
                visible: tool.visible_paths(),
            });
        }
        let mut command = self.start_command(&tool.program, &tool.program.to_string_lossy())?;
        command_planner::merge_visible(&mut command.visible, &tool.visible_paths());
        Ok(command)
    }

    fn program_at_path(&mut self, program: &str) -> Result<Command, LaunchFault> {
        let path = normalize(&self.cwd.join(program));
        let Ok(metadata) = fs::metadata(&path) else {
            let help = match fs::symlink_metadata(&path) {
                Ok(_) => "it is a broken symbolic link",
                Err(_) => "build it first, or correct the path",
            };
            return Err(ProgramFault::new("does not exist", help).about_file(&path).into());
        };
        if metadata.is_dir() {
            let fault = ProgramFault::new("is a directory", "give the program in it");
            return Err(fault.about_file(&path).into());
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            let fault = executable::not_executable_fault(Path::new(program));
            return Err(fault.about_file(&path).into());
        }
        let text = path.to_string_lossy().into_owned();
        if is_system(&path) {
            return self.find_program(&text);
        }
        if known_interpreter(&text).is_some() {
            let toolchain = self.toolchains.find_at(&path)?;
            return Ok(Command {
                argv: vec![text],
                env: Vec::new(),
                visible: toolchain.visible_paths(),
            });
        }
        let name = self
            .relative_to_cwd(&path)
            .unwrap_or_else(|| path.file_name().map(PathBuf::from).unwrap_or_default());
        let command = self.start_command(&path, &format!("{PROGRAM}/{}", name.display()))?;
        self.add_file(name, path, FileMode::Executable);
        Ok(command)
    }

    /// The program sees the file at `inside`.
    fn start_command(&self, path: &Path, inside: &str) -> Result<Command, LaunchFault> {
        let start = FilePath::root(path).read_prefix(64 << 20).map_err(|error| {
            ProgramFault::without_help(format!("cannot read {}: {error}", path.display()))
        })?;
        let command = match executable::inspect(&start) {
            Ok(Some(executable)) => {
                command_planner::start_command(inside, &executable, self.toolchains)
            }
            Ok(None) => Err(ProgramFault::without_help(
                "is not a program: it is neither an ELF binary nor a script with a `#!` line",
            )
            .into()),
            Err(fault) => Err(fault.into()),
        };
        command.map_err(|fault| fault.about_file(path))
    }

    /// If the argument names a file, makes it visible. Returns the argument that the program gets.
    fn map_argument(
        &mut self,
        arg: &str,
        visible: &mut Vec<VisiblePath>,
    ) -> Result<String, LaunchFault> {
        let path = normalize(&self.cwd.join(arg));
        let Ok(metadata) = fs::metadata(&path) else { return Ok(arg.to_owned()) };
        let is_hidden_place = ["/dev", "/proc", "/sys"].iter().any(|dir| path.starts_with(dir));
        if arg.is_empty() || arg.starts_with('-') || is_system(&path) || is_hidden_place {
            return Ok(arg.to_owned());
        }
        let too_much = |what: &str| {
            let message = format!("`{arg}` would show the program {what}");
            LaunchFault::from(ProgramFault::new(message, "name the files or a smaller directory"))
        };
        if self.cwd.starts_with(&path) {
            return Err(too_much("the whole current directory"));
        }
        let is_relative = metadata.is_file() && !Path::new(arg).is_absolute();
        if let Some(name) = self.relative_to_cwd(&path).filter(|_| is_relative) {
            self.add_file(name, path, FileMode::from_permissions(metadata.permissions().mode()));
            return Ok(arg.to_owned());
        }
        let home = self.toolchains.probe().home();
        if metadata.is_dir() && home.is_some_and(|home| home.starts_with(&path)) {
            return Err(too_much("the home directory"));
        }
        let shown = path.to_string_lossy().into_owned();
        let identity = format!("{} bytes, changed {}", metadata.len(), metadata.ctime());
        let what = VisibleContent::Installed { name: arg.to_owned(), identity };
        command_planner::merge_visible(visible, &[VisiblePath { inside: path, what }]);
        Ok(shown)
    }

    fn relative_to_cwd(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(self.cwd).ok().map(PathBuf::from)
    }

    fn add_file(&mut self, name: PathBuf, host: PathBuf, mode: FileMode) {
        if self.files.iter().all(|file| file.name != name) {
            let blob = Blob::file(&FilePath::root(host));
            self.files.push(TreeEntry::new(name, Node::File { blob, mode }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::language::tests::scripted::ScriptedMachine;
    use std::os::unix::fs::symlink;

    /// Writes a file; a star before its name is the `x` bit.
    fn write(dir: &Path, name: &str, text: &str) -> io::Result<()> {
        let path = dir.join(name.trim_start_matches('*'));
        fs::create_dir_all(path.parent().unwrap_or(dir))?;
        fs::write(&path, text)?;
        let mode = if name.starts_with('*') { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))
    }

    /// A directory with the files of these tests; in expectations it is called `DIR`.
    fn directory() -> io::Result<tempfile::TempDir> {
        let dir = tempfile::tempdir()?;
        let root = dir.path();
        for (name, text) in [
            ("*here/a.sh", "#!/bin/sh\n"),
            ("*here/crlf", "#!/bin/sh\r\n"),
            ("*here/text", "hello"),
            ("*here/python3", "#!/bin/sh\n"),
            ("*elsewhere/node", "#!/bin/sh\n"),
            ("here/plain", "#!/bin/sh\n"),
            ("here/sol.py", "print(1)"),
            ("here/classes/A.class", ""),
            ("*elsewhere/tool", "#!/usr/bin/env python3\n"),
            ("elsewhere/data.txt", "1"),
        ] {
            write(root, name, text)?;
        }
        symlink("nowhere", root.join("here/dangling"))?;
        Ok(dir)
    }

    /// Shows the command as `argv [visible] {files}`, or the error.
    fn check(words: &[&str], expected: &str) -> io::Result<()> {
        let dir = directory()?;
        let root = fs::canonicalize(dir.path())?;
        let root_text = root.display().to_string();
        let machine = ScriptedMachine::default()
            .with_tool("/h/shims/python3")
            .with_answer("-I", "/h/py/bin/python3\nCPython 3.12\n/h/py\n/h/py\n");
        let argv: Vec<OsString> =
            words.iter().map(|word| word.replace("DIR", &root_text).into()).collect();
        let toolchains = Toolchains::new(Box::new(machine));
        let result = match command_line(&argv, &root.join("here"), &toolchains) {
            Ok(plan) => {
                let command = plan.start.command(&[], None);
                let visible: Vec<String> = command
                    .visible
                    .iter()
                    .map(|visible| visible.inside.display().to_string())
                    .collect();
                let files: Vec<String> =
                    plan.files.iter().map(|file| file.name.display().to_string()).collect();
                format!(
                    "{} [{}] {{{}}}",
                    command.argv.join(" "),
                    visible.join(" "),
                    files.join(" ")
                )
            }
            Err(fault) => fault.to_string(),
        };
        assert_eq!(result.replace(&root_text, "DIR"), expected, "{words:?}");
        Ok(())
    }

    #[test]
    fn a_program_and_its_file_arguments_are_visible() -> io::Result<()> {
        check(&["./a.sh", "--fast", "1"], "/bin/sh /program/a.sh --fast 1 [] {a.sh}")?;
        check(&["python3", "sol.py", "7"], "/h/py/bin/python3 sol.py 7 [/h/py] {sol.py}")?;
        check(
            &["python3", "-cp", "classes"],
            "/h/py/bin/python3 -cp DIR/here/classes [/h/py DIR/here/classes] {}",
        )?;
        check(&["../elsewhere/tool"], "/h/py/bin/python3 /program/tool [/h/py] {tool}")?;
        check(
            &["./a.sh", "../elsewhere/data.txt", "/dev/null"],
            "/bin/sh /program/a.sh DIR/elsewhere/data.txt /dev/null [DIR/elsewhere/data.txt] {a.sh}",
        )?;
        // Such a program is not asked, whatever it is called.
        check(&["./python3", "1"], "DIR/here/python3 1 [DIR/here/python3] {}")?;
        check(&["DIR/elsewhere/node"], "DIR/elsewhere/node [DIR/elsewhere/node] {}")?;
        check(
            &["./a.sh", "DIR/here/plain"],
            "/bin/sh /program/a.sh DIR/here/plain [DIR/here/plain] {a.sh}",
        )
    }

    #[test]
    fn a_program_that_cannot_start_has_a_reason() -> io::Result<()> {
        check(&[], "no command; write it after `--`, such as `-- ./a.out`")?;
        check(&["./plain"], "`DIR/here/plain` is not executable; run `chmod +x ./plain`")?;
        check(&["./none"], "`DIR/here/none` does not exist; build it first, or correct the path")?;
        check(&["./dangling"], "`DIR/here/dangling` does not exist; it is a broken symbolic link")?;
        check(&["./classes"], "`DIR/here/classes` is a directory; give the program in it")?;
        check(
            &["./text"],
            "`DIR/here/text` is not a program: it is neither an ELF binary nor a script with a `#!` line",
        )?;
        check(
            &["./crlf"],
            "`DIR/here/crlf` has a `#!` line that ends with a carriage return, so its interpreter is not found; \
             convert it with `sed -i 's/\\r$//'`",
        )?;
        check(
            &["a.sh"],
            "no `a.sh` on the search path; write `./a.sh` for the one in this directory",
        )?;
        check(&["lua"], "cannot run the command: lua not found")
    }

    #[test]
    fn the_whole_directory_is_never_visible() -> io::Result<()> {
        let too_much = "would show the program the whole current directory; name the files or a smaller directory";
        check(&["./a.sh", "."], &format!("`.` {too_much}"))?;
        check(&["./a.sh", ".."], &format!("`..` {too_much}"))?;
        check(&["./a.sh", "/"], &format!("`/` {too_much}"))
    }
}
