//! Starts programs of this machine outside of the sandbox: tools, to ask for their version and location, and the
//! pager. Nothing else in juror starts a program there.
//!
//! Theory of operation: the current directory may be somebody's package, and tools do what files there say. Python
//! imports its modules, rustup starts the compiler that `rust-toolchain.toml` names, others fetch a version from a
//! server. So tools start in `/`, by an absolute path, and get only the variables of a list. None of these makes a
//! tool load code, and no part of the search path depends on the current directory.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::sandbox::forks;
use crate::sandbox::shortage::{self, NO_PROCESS};
use crate::sandbox::system::EnclosingGroups;
use juror_core::language::probe::AskFault;

/// A virtual machine on a busy computer takes seconds to print a version.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// In bytes.
const ANSWER_BYTES_MAX: u64 = 1 << 20;

/// Variables that name a directory of a version manager or of an installation.
const DIRECTORY_VARIABLES: [&str; 14] = [
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "CARGO_HOME",
    "DEVELOPER_DIR",
    "GOROOT",
    "JAVA_HOME",
    "MISE_CONFIG_DIR",
    "MISE_DATA_DIR",
    "RUSTUP_HOME",
    "VOLTA_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// With these settings, version managers ask no server for what is missing.
const FIXED_VARIABLES: [(&str, &str); 4] = [
    ("COURSIER_MODE", "offline"),
    ("GOTOOLCHAIN", "local"),
    ("MISE_OFFLINE", "1"),
    ("RUSTUP_AUTO_INSTALL", "0"),
];

/// If it is set, rustup ignores all files that choose a toolchain.
const RUSTUP_TOOLCHAIN: &str = "RUSTUP_TOOLCHAIN";

pub type EnvironmentVariable = (OsString, OsString);

/// The executable files of this name, in the order of the search path; a name with a slash is an absolute path.
pub fn on_path(name: &str) -> Vec<PathBuf> {
    if name.contains('/') {
        let path = PathBuf::from(name);
        let is_usable = path.is_absolute() && is_executable(&path);
        return is_usable.then_some(path).into_iter().collect();
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for dir in search_path(env::var_os("PATH")) {
        let file = dir.join(name);
        if is_executable(&file) && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Leaves out directories that depend on the current directory.
fn search_path(path: Option<OsString>) -> Vec<PathBuf> {
    env::split_paths(&path.unwrap_or_default()).filter(|dir| dir.is_absolute()).collect()
}

pub(super) fn home() -> Option<PathBuf> {
    env::home_dir().filter(|home| home.is_absolute())
}

/// Sorted by name.
pub fn tool_environment() -> Vec<EnvironmentVariable> {
    filter_environment(env::vars_os().collect(), home())
}

fn filter_environment(
    variables: Vec<EnvironmentVariable>,
    home: Option<PathBuf>,
) -> Vec<EnvironmentVariable> {
    let value = |key: &str| {
        let found = variables.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.clone())
    };
    let mut all: Vec<EnvironmentVariable> =
        variables.iter().filter(|(name, value)| is_passed(name, value)).cloned().collect();
    let mut set = |name: &str, value: OsString| {
        all.retain(|(known, _)| known != name);
        all.push((name.into(), value));
    };
    for (name, value) in FIXED_VARIABLES {
        set(name, value.into());
    }
    let path: Vec<_> = search_path(value("PATH")).into_iter().map(OsString::from).collect();
    set("PATH", path.join(OsStr::new(":")));
    if let Some(home) = &home {
        set("HOME", home.clone().into());
    }
    let of_rustup = value("RUSTUP_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let of_rustup = of_rustup.or_else(|| home.map(|home| home.join(".rustup")));
    if !all.iter().any(|(name, _)| name == RUSTUP_TOOLCHAIN)
        && let Some(chosen) = of_rustup.and_then(|dir| default_toolchain(&dir))
    {
        all.push((RUSTUP_TOOLCHAIN.into(), chosen.into()));
    }
    all.sort();
    all
}

fn is_passed(name: &OsStr, value: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let is_absolute = value.as_bytes().starts_with(b"/");
    if DIRECTORY_VARIABLES.contains(&name) || name.ends_with("ENV_ROOT") {
        return is_absolute;
    }
    let of_manager = ["ASDF_", "MISE_"].iter().any(|start| name.starts_with(start));
    let is_version = name.ends_with("ENV_VERSION") || (of_manager && name.ends_with("_VERSION"));
    if is_version || name == RUSTUP_TOOLCHAIN {
        return is_absolute || (!value.is_empty() && !value.as_bytes().contains(&b'/'));
    }
    ["LANG", "LANGUAGE"].contains(&name) || name.starts_with("LC_")
}

/// The toolchain that the user chose with `rustup default`.
///
/// Source: `settings.toml` of rustup; the keys above its first table are one to a line.
fn default_toolchain(dir: &Path) -> Option<String> {
    let settings = fs::read_to_string(dir.join("settings.toml")).ok()?;
    let mut top = settings.lines().take_while(|line| !line.starts_with('['));
    let chosen = top.find_map(|line| line.strip_prefix("default_toolchain"))?;
    let chosen = chosen.trim_start().strip_prefix('=')?.trim().trim_matches('"');
    // A name, not a path: a path could lead to anybody's directory.
    (!chosen.is_empty() && !chosen.contains('/')).then(|| chosen.to_owned())
}

fn tool_command(program: &Path) -> io::Result<Command> {
    if !program.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "its path is not absolute"));
    }
    let mut command = Command::new(program);
    command.current_dir("/").env_clear().envs(tool_environment());
    Ok(command)
}

/// Starts a tool and returns its output, standard output first.
///
/// # Errors
/// If it cannot be started, fails, or takes too long. If the machine refused a process meanwhile, it is to blame: the
/// tool, or a script that starts it, may have failed because of that.
pub fn ask(program: &Path, args: &[&str]) -> Result<String, AskFault> {
    let groups = EnclosingGroups::find();
    let refused = groups.refused_processes();
    run_tool(program, args).map_err(|fault| match fault {
        AskFault::Tool(why) if groups.refused_processes() > refused => {
            AskFault::Machine(format!("{NO_PROCESS}; {why}"))
        }
        fault => fault,
    })
}

fn run_tool(program: &Path, args: &[&str]) -> Result<String, AskFault> {
    let mut command = tool_command(program).map_err(|fault| fault.to_string())?;
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = forks::spawn(&mut command).map_err(|fault| start_fault(&fault))?;
    let (sender, receiver) = mpsc::channel();
    let outputs = (child.stdout.take(), child.stderr.take());
    let read = move || {
        let stderr = thread::Builder::new().spawn(move || read_start(outputs.1));
        let output = read_start(outputs.0);
        let panicked = |_| io::Error::other("a thread panicked");
        let complained = stderr.and_then(|stderr| stderr.join().map_err(panicked));
        // If the receiver is gone, the time was up.
        let _ = sender.send(complained.map(|complained| output + &complained));
    };
    let reader = match thread::Builder::new().spawn(read) {
        Ok(reader) => reader,
        Err(fault) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(start_fault(&fault));
        }
    };
    let Ok(output) = receiver.recv_timeout(ANSWER_TIMEOUT) else {
        // If it has just ended, this does nothing.
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("did not answer within {} s", ANSWER_TIMEOUT.as_secs()).into());
    };
    let status = child.wait().map_err(|fault| fault.to_string())?;
    // The thread has sent its result, so it ends at once.
    let _ = reader.join();
    let output = output.map_err(|fault| start_fault(&fault))?;
    if status.success() {
        Ok(output)
    } else {
        Err(format!("{status}: {}", output.lines().next().unwrap_or_default()).into())
    }
}

fn start_fault(error: &io::Error) -> AskFault {
    match shortage::start_shortage(error) {
        Some(what) => AskFault::Machine(what.to_owned()),
        None => AskFault::Tool(error.to_string()),
    }
}

fn read_start(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // Output before a read error still counts.
        let _ = from.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `pager` is the words of a command. Returns whether the text was shown.
pub fn show_in_pager(pager: &str, text: &str) -> bool {
    let mut words = pager.split_whitespace();
    let program = words.next().and_then(|name| on_path(name).into_iter().next());
    let Some(mut command) = program.and_then(|program| tool_command(&program).ok()) else {
        return false;
    };
    command.args(words).stdin(Stdio::piped());
    // less shows colours, and ends at once if the text fits on the screen.
    command.env("LESS", "FRX").env("TERM", env::var_os("TERM").unwrap_or_default());
    let Ok(mut child) = forks::spawn(&mut command) else { return false };
    if let Some(mut stdin) = child.stdin.take() {
        // The user may quit the pager before the end.
        let _ = stdin.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_tool_is_an_error() {
        let answer = ask(Path::new("/bin/sh"), &["-c", "echo out; echo err >&2"]);
        assert_eq!(answer.as_deref(), Ok("out\nerr\n"));
        let answer = ask(Path::new("/bin/sh"), &["-c", "echo bad; exit 3"]);
        assert_eq!(answer, Err("exit status: 3: bad".to_owned().into()));
        let answer = ask(Path::new("/nowhere/tool"), &[]);
        assert!(matches!(answer, Err(AskFault::Tool(_))), "{answer:?}");
    }

    #[test]
    fn a_tool_starts_in_the_root_by_an_absolute_path() {
        assert_eq!(ask(Path::new("/bin/pwd"), &[]).as_deref(), Ok("/\n"));
        for name in ["sh", "./sh", "../bin/sh", ""] {
            assert_eq!(
                ask(Path::new(name), &[]),
                Err("its path is not absolute".to_owned().into())
            );
        }
        assert_eq!(on_path("bin/sh"), Vec::<PathBuf>::new());
        assert_eq!(on_path("/bin/sh"), [Path::new("/bin/sh")]);
    }

    #[test]
    fn an_answer_without_end_is_cut() {
        let answer = ask(Path::new("/bin/sh"), &["-c", "exec yes"]).unwrap_err().to_string();
        assert!(answer.ends_with(": y"), "{answer}");
    }

    /// Checks which of these variables reach a tool. Some variables are always set.
    fn check(set: &[&str], expected: &[&str]) {
        let pair = |text: &&str| {
            let (name, value) = text.split_once('=').unwrap();
            (name.into(), value.into())
        };
        let all = filter_environment(set.iter().map(pair).collect(), None);
        let always = |name: &OsStr| FIXED_VARIABLES.iter().any(|(always, _)| name == *always);
        let text =
            |(name, value): &EnvironmentVariable| format!("{}={}", name.display(), value.display());
        let passed: Vec<String> = all.iter().filter(|(name, _)| !always(name)).map(text).collect();
        assert_eq!(passed, expected, "{set:?}");
        assert_eq!(all.len(), passed.len() + FIXED_VARIABLES.len());
    }

    #[test]
    fn a_search_path_has_no_part_that_depends_on_the_current_directory() {
        check(&["PATH=:/usr/bin"], &["PATH=/usr/bin"]);
        check(&["PATH=/a:.:bin:../x::/usr/bin:"], &["PATH=/a:/usr/bin"]);
        check(&["PATH=."], &["PATH="]);
        check(&[], &["PATH="]);
        assert_eq!(search_path(Some(":./bin:/usr/bin".into())), [Path::new("/usr/bin")]);
    }

    #[test]
    fn no_variable_makes_a_tool_load_code() {
        let of_tools = "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES PYTHONPATH PYTHONHOME PYTHONSTARTUP \
            NODE_OPTIONS NODE_PATH PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS \
            CLASSPATH LUA_INIT LUA_PATH PHPRC PHP_INI_SCAN_DIR BASH_ENV ENV SHELLOPTS R_PROFILE R_LIBS OCAMLLIB \
            GHC_ENVIRONMENT GOFLAGS GOENV CC GCC_EXEC_PREFIX COMPILER_PATH RUSTFLAGS RUSTC_WRAPPER JULIA_LOAD_PATH \
            DOTNET_STARTUP_HOOKS ERL_FLAGS GUILE_LOAD_PATH LESSOPEN LESS PAGER PYENV_HOOK_PATH MISE_ENV_FILE IFS \
            TMPDIR XDG_CONFIG_DIRS SECRET_TOKEN SSH_AUTH_SOCK";
        for name in of_tools.split_whitespace() {
            check(&[&format!("{name}=/tmp/x")], &["PATH="]);
        }
        check(&["BASH_FUNC_pyenv%%=() { touch /tmp/x; }"], &["PATH="]);
    }

    #[test]
    fn variables_of_version_managers_pass_unless_they_are_relative() {
        for variable in [
            "PYENV_ROOT=/opt/pyenv",
            "PYENV_VERSION=3.12:3.11",
            "RBENV_ROOT=/opt/rbenv",
            "RUSTUP_HOME=/opt/rustup",
            "RUSTUP_TOOLCHAIN=nightly",
            "RUSTUP_TOOLCHAIN=/opt/rust",
            "ASDF_NODEJS_VERSION=20.1.0",
            "JAVA_HOME=/opt/jdk",
            "LC_ALL=C.UTF-8",
            "LANG=de_DE.UTF-8",
        ] {
            let mut expected = ["PATH=", variable];
            expected.sort_unstable();
            check(&[variable], &expected);
        }
        for left_out in [
            "PYENV_ROOT=pyenv",
            "PYENV_VERSION=../../evil",
            "PYENV_VERSION=",
            "RUSTUP_TOOLCHAIN=./evil",
            "RUSTUP_HOME=",
            "JAVA_HOME=jdk",
            "HOME=relative",
        ] {
            check(&[left_out], &["PATH="]);
        }
    }

    #[test]
    fn rustup_uses_the_default_of_the_user() {
        let dir = tempfile::tempdir().unwrap();
        let chosen = |settings: &str, set: &[EnvironmentVariable]| {
            fs::write(dir.path().join("settings.toml"), settings).unwrap();
            let mut all = vec![("RUSTUP_HOME".into(), dir.path().into())];
            all.extend(set.iter().cloned());
            let all = filter_environment(all, None);
            let found = all.into_iter().find(|(name, _)| name == RUSTUP_TOOLCHAIN);
            found.map(|(_, value)| value.into_string().unwrap())
        };
        let settings = "version = \"12\"\ndefault_toolchain = \"stable-x\"\n[overrides]\n\"/p\" = \"nightly\"\n";
        assert_eq!(chosen(settings, &[]).as_deref(), Some("stable-x"));
        let typed = (RUSTUP_TOOLCHAIN.into(), "beta".into());
        assert_eq!(chosen(settings, &[typed]).as_deref(), Some("beta"));
        assert_eq!(chosen("default_toolchain = \"/srv/p/evil\"\n", &[]), None);
        assert_eq!(chosen("[overrides]\ndefault_toolchain = \"x\"\n", &[]), None);
    }

    #[test]
    fn a_pager_with_a_relative_path_does_not_start() {
        for pager in ["./cat", "bin/cat", "no-such-pager", ""] {
            assert!(!show_in_pager(pager, "text"), "{pager}");
        }
    }
}
