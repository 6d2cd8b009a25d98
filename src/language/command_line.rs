//! Makes the commands for what the user typed, such as `./a.out --fast` or `python3 sol.py`.
//!
//! The program runs in a box and sees only those parts of the user's directory that the command names: the program
//! itself, and arguments that are files or directories. Those below the current directory have the same relative name
//! in the box; others keep their absolute path.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::language::PROGRAM;
use crate::language::executable;
use crate::language::fault::{ProgramFault, Unready};
use crate::language::find;
use crate::language::plan::{BuildPlan, Start, Written};
use crate::language::planner;
use crate::language::probe::normal;
use crate::language::toolchain::{Toolchains, is_system};
use crate::model::blob::Blob;
use crate::model::job::{Command, Shown, What};
use crate::model::root::FilePath;
use crate::model::tree::{FileMode, Node, TreeEntry};

/// `cwd` is the absolute path of the directory in which the command was typed.
pub fn command_line(
    argv: &[OsString],
    cwd: &Path,
    toolchains: &Toolchains,
) -> Result<BuildPlan, Unready> {
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
    let mut typed = Typed { cwd, toolchains, files: Vec::new(), tools: Vec::new() };
    let mut command = if program.contains('/') {
        typed.program_at(program)?
    } else {
        typed.program_named(program)?
    };
    for arg in args {
        let shown = typed.argument(arg, &mut command.visible)?;
        command.argv.push(shown);
    }
    Ok(BuildPlan {
        tools: typed.tools,
        files: typed.files,
        ..BuildPlan::ready(Written::Command, Start::plain(command, PROCESSES))
    })
}

/// Any command may be a virtual machine, so there is room for its threads.
const PROCESSES: u32 = 64;

struct Typed<'a> {
    cwd: &'a Path,
    toolchains: &'a Toolchains,
    files: Vec<TreeEntry>,
    tools: Vec<String>,
}

impl Typed<'_> {
    fn program_named(&mut self, name: &str) -> Result<Command, Unready> {
        let found = self.toolchains.named(name, "run the command");
        if found.is_err() && self.cwd.join(name).exists() {
            let message = format!("no `{name}` on the search path");
            let help = format!("write `./{name}` for the one in this directory");
            return Err(ProgramFault::new(message, help).into());
        }
        let found = found?;
        if !found.version.is_empty() {
            self.tools.push(found.version.clone());
        }
        if is_system(&found.program) || find::known(name).is_some() {
            return Ok(Command {
                argv: vec![found.program.to_string_lossy().into_owned()],
                env: Vec::new(),
                visible: found.shown(),
            });
        }
        let mut command = self.start(&found.program, &found.program.to_string_lossy())?;
        planner::merge(&mut command.visible, &found.shown());
        Ok(command)
    }

    fn program_at(&mut self, program: &str) -> Result<Command, Unready> {
        let path = normal(&self.cwd.join(program));
        let Ok(metadata) = fs::metadata(&path) else {
            let help = match fs::symlink_metadata(&path) {
                Ok(_) => "it is a broken symbolic link",
                Err(_) => "build it first, or correct the path",
            };
            return Err(ProgramFault::new("does not exist", help).of(&path).into());
        };
        if metadata.is_dir() {
            let fault = ProgramFault::new("is a directory", "give the program in it");
            return Err(fault.of(&path).into());
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            let fault = executable::not_executable(Path::new(program));
            return Err(fault.of(&path).into());
        }
        let text = path.to_string_lossy().into_owned();
        if is_system(&path) {
            return self.program_named(&text);
        }
        if find::known(&text).is_some() {
            let found = self.toolchains.at(&path)?;
            return Ok(Command { argv: vec![text], env: Vec::new(), visible: found.shown() });
        }
        let name = self
            .below(&path)
            .unwrap_or_else(|| path.file_name().map(PathBuf::from).unwrap_or_default());
        let command = self.start(&path, &format!("{PROGRAM}/{}", name.display()))?;
        self.put(name, path, FileMode::Executable);
        Ok(command)
    }

    /// The program sees the file at `inside`.
    fn start(&self, path: &Path, inside: &str) -> Result<Command, Unready> {
        let start = FilePath::root(path).start(64 << 20).map_err(|error| {
            ProgramFault::without_help(format!("cannot read {}: {error}", path.display()))
        })?;
        let command = executable::inspect(&start).and_then(|found| match found {
            Some(executable) => planner::start(inside, &executable, self.toolchains),
            None => Err(ProgramFault::without_help(
                "is not a program: it is neither an ELF binary nor a script with a `#!` line",
            )),
        });
        Ok(command.map_err(|fault| fault.of(path))?)
    }

    /// If the argument names a file, makes it visible. Returns the argument that the program gets.
    fn argument(&mut self, arg: &str, visible: &mut Vec<Shown>) -> Result<String, Unready> {
        let path = normal(&self.cwd.join(arg));
        let Ok(metadata) = fs::metadata(&path) else { return Ok(arg.to_owned()) };
        let is_hidden_place = ["/dev", "/proc", "/sys"].iter().any(|it| path.starts_with(it));
        if arg.is_empty() || arg.starts_with('-') || is_system(&path) || is_hidden_place {
            return Ok(arg.to_owned());
        }
        let too_much = |what: &str| {
            let message = format!("`{arg}` would show the program {what}");
            Unready::from(ProgramFault::new(message, "give the files or a smaller directory"))
        };
        if self.cwd.starts_with(&path) {
            return Err(too_much("the whole current directory"));
        }
        let is_relative = metadata.is_file() && !Path::new(arg).is_absolute();
        if let Some(name) = self.below(&path).filter(|_| is_relative) {
            self.put(name, path, FileMode::of(metadata.permissions().mode()));
            return Ok(arg.to_owned());
        }
        let home = self.toolchains.probe().home();
        if metadata.is_dir() && home.is_some_and(|it| it.starts_with(&path)) {
            return Err(too_much("the home directory"));
        }
        let shown = path.to_string_lossy().into_owned();
        let identity = format!("{} bytes, changed {}", metadata.len(), metadata.ctime());
        let what = What::Installed { name: arg.to_owned(), identity };
        planner::merge(visible, &[Shown { inside: path, what }]);
        Ok(shown)
    }

    fn below(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(self.cwd).ok().map(PathBuf::from)
    }

    fn put(&mut self, name: PathBuf, host: PathBuf, mode: FileMode) {
        if self.files.iter().all(|it| it.name != name) {
            let blob = Blob::file(&FilePath::root(host));
            self.files.push(TreeEntry::new(name, Node::File { blob, mode }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::language::tests::scripted::Scripted;
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
        let machine = Scripted::default()
            .tool("/h/shims/python3")
            .says("-I", "/h/py/bin/python3\nCPython 3.12\n/h/py\n/h/py\n");
        let argv: Vec<OsString> =
            words.iter().map(|it| it.replace("DIR", &root_text).into()).collect();
        let toolchains = Toolchains::new(Box::new(machine));
        let said = match command_line(&argv, &root.join("here"), &toolchains) {
            Ok(plan) => {
                let command = plan.start.command(&[], None);
                let visible: Vec<String> =
                    command.visible.iter().map(|it| it.inside.display().to_string()).collect();
                let files: Vec<String> =
                    plan.files.iter().map(|it| it.name.display().to_string()).collect();
                format!(
                    "{} [{}] {{{}}}",
                    command.argv.join(" "),
                    visible.join(" "),
                    files.join(" ")
                )
            }
            Err(fault) => fault.to_string(),
        };
        assert_eq!(said.replace(&root_text, "DIR"), expected, "{words:?}");
        Ok(())
    }

    #[test]
    fn a_program_and_the_files_it_is_given_are_shown() -> io::Result<()> {
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
    fn what_cannot_start_says_why() -> io::Result<()> {
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
    fn the_whole_directory_is_never_shown() -> io::Result<()> {
        let too_much = "would show the program the whole current directory; give the files or a smaller directory";
        check(&["./a.sh", "."], &format!("`.` {too_much}"))?;
        check(&["./a.sh", ".."], &format!("`..` {too_much}"))?;
        check(&["./a.sh", "/"], &format!("`/` {too_much}"))
    }
}
