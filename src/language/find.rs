//! How each tool is found behind its wrappers: by asking it where it really lives.

use std::path::{Path, PathBuf};

use crate::language::probe::Probe;
use crate::language::tool::Tool;
use crate::language::toolchain::{Linking, Toolchain, Tried, is_system};

/// Finds the tool of the table.
///
/// The error lists what was found and did not work; it is empty where nothing was found.
pub fn tool(probe: &dyn Probe, tool: Tool) -> Result<Toolchain, Vec<Tried>> {
    // The virtual machine beside the compiler reads what that compiler writes.
    let beside = |program: &Path| java(probe, program, Tool::Java);
    if tool == Tool::Java
        && let Ok(found) = first_that_answers(probe, Tool::Javac.names(), beside)
    {
        return Ok(found);
    }
    first_that_answers(probe, tool.names(), |it| ask(probe, it, tool))
}

/// Finds a program by its name or path: a tool of the table behind its wrappers, anything else as it is.
pub fn named(probe: &dyn Probe, name: &str) -> Result<Toolchain, Vec<Tried>> {
    let known = known(name);
    first_that_answers(probe, &[name], |program| match known {
        Some(tool) => ask(probe, program, tool),
        None => as_it_is(probe, program, String::new()),
    })
}

/// The tool of the table that a program is, told from its name: one that may hide behind a wrapper.
pub fn known(name: &str) -> Option<Tool> {
    let base = Path::new(name).file_name()?.to_str()?;
    match base.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.') {
        "python" | "pypy" => Some(Tool::Python),
        "java" => Some(Tool::Java),
        "node" | "nodejs" => Some(Tool::Node),
        "perl" => Some(Tool::Perl),
        _ => None,
    }
}

/// What a tool was found to be, or why it is no use.
type Answer = Result<Toolchain, String>;

/// The first candidate that says who it is. A wrapper without a version behind it fails here.
fn first_that_answers(
    probe: &dyn Probe,
    names: &[&str],
    ask: impl Fn(&Path) -> Answer,
) -> Result<Toolchain, Vec<Tried>> {
    let mut tried = Vec::new();
    for program in names.iter().flat_map(|name| probe.on_path(name)) {
        match ask(&program) {
            Ok(toolchain) => return Ok(toolchain),
            Err(fault) => tried.push(Tried { program, fault }),
        }
    }
    Err(tried)
}

fn ask(probe: &dyn Probe, program: &Path, tool: Tool) -> Answer {
    match tool {
        Tool::Cc => c_compiler(probe, program, &["libc.a", "libm.a", "libgcc_eh.a"]),
        Tool::Cxx => {
            c_compiler(probe, program, &["libc.a", "libm.a", "libgcc_eh.a", "libstdc++.a"])
        }
        Tool::Rustc => in_sysroot(probe, program, "rustc"),
        Tool::Cargo => cargo(probe, program),
        Tool::Python => python(probe, program),
        Tool::Javac | Tool::Java => java(probe, program, tool),
        Tool::Go => go(probe, program),
        Tool::Node => node(probe, program),
        Tool::Perl => perl(probe, program),
        Tool::Bash => {
            let version = first_line(&probe.ask(program, &["--version"])?);
            as_it_is(probe, program, version)
        }
    }
}

/// GCC or Clang, and whether the libraries for static linking are there.
fn c_compiler(probe: &dyn Probe, program: &Path, archives: &[&str]) -> Answer {
    // These find the compiler by the name they are called by, and keep state in the user's home.
    let real = probe.real_path(program).unwrap_or_default();
    let is_cache = ["ccache", "sccache", "distcc", "icecc"].iter().any(|it| real.ends_with(it));
    if is_cache {
        return Err("is a compiler cache".to_owned());
    }
    let version = first_line(&probe.ask(program, &["--version"])?);
    let library = |name: &str| {
        let answer = probe.ask(program, &[&format!("-print-file-name={name}")]).unwrap_or_default();
        let path = PathBuf::from(answer.trim());
        path.is_absolute().then(|| probe.size(&path)).flatten()
    };
    // Up to glibc 2.33 threads live in an archive of their own, of which a static program gets too
    // little; later it is empty: 8 bytes.
    let threads_apart = library("libpthread.a").is_some_and(|size| size > 8);
    let all_there = archives.iter().all(|it| library(it).is_some());
    let mut toolchain = as_it_is(probe, program, version)?;
    if let Some(prefix) = prefix_of(&real).filter(|it| !is_system(it)) {
        toolchain.visible = visible(probe, program, &[prefix]);
    }
    if all_there && !threads_apart {
        toolchain.linking = Linking::Static;
    }
    Ok(toolchain)
}

/// rustup's `rustc` is a proxy that wants the user's home; the compiler lies in its sysroot.
fn in_sysroot(probe: &dyn Probe, program: &Path, name: &str) -> Answer {
    let version = first_line(&probe.ask(program, &["--version"])?);
    let sysroot = PathBuf::from(probe.ask(program, &["--print", "sysroot"])?.trim());
    let inside = sysroot.join("bin").join(name);
    let program = match probe.real_path(&inside) {
        Some(_) => inside,
        None => program.to_path_buf(),
    };
    Ok(Toolchain {
        visible: visible(probe, &program, &[sysroot]),
        program,
        version,
        linking: Linking::Dynamic,
    })
}

/// Cargo lies beside the compiler; a distribution has both on the search path.
fn cargo(probe: &dyn Probe, program: &Path) -> Answer {
    let beside = tool(probe, Tool::Rustc)
        .ok()
        .map(|rustc| rustc.program.with_file_name("cargo"))
        .filter(|it| probe.real_path(it).is_some());
    let program = beside.as_deref().unwrap_or(program);
    let version = first_line(&probe.ask(program, &["--version"])?);
    as_it_is(probe, program, version)
}

const ASK_PYTHON: &str = "import sys, platform\n\
    print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')\n\
    print(platform.python_implementation(), platform.python_version())\n\
    sys.exit(sys.version_info < (3,) and 'is Python 2')";

/// A virtual environment needs itself and the installation below it.
fn python(probe: &dyn Probe, program: &Path) -> Answer {
    let said = probe.ask(program, &["-c", ASK_PYTHON])?;
    let [executable, prefix, base, version] = lines(&said)?;
    let program = PathBuf::from(executable);
    Ok(Toolchain {
        visible: visible(probe, &program, &[prefix.into(), base.into()]),
        program,
        version,
        linking: Linking::Dynamic,
    })
}

/// Compiler and virtual machine from one home, which may keep its settings in `/etc`.
fn java(probe: &dyn Probe, program: &Path, tool: Tool) -> Answer {
    let is_compiler = program.file_name().is_some_and(|it| it == "javac");
    let said = match is_compiler {
        true => probe.ask(program, &["-J-XshowSettings:properties", "-version"])?,
        false => probe.ask(program, &["-XshowSettings:properties", "-version"])?,
    };
    let property = |name: &str| {
        let value = |line: &str| {
            let (key, value) = line.trim().split_once(" = ")?;
            (key == name).then(|| value.to_owned())
        };
        said.lines().find_map(value).ok_or_else(|| format!("does not tell its {name}"))
    };
    let home = PathBuf::from(property("java.home")?);
    let version = property("java.version")?;
    let name = if tool == Tool::Javac { "javac" } else { "java" };
    let program = home.join("bin").join(name);
    if probe.real_path(&program).is_none() {
        return Err(format!("has no {}", program.display()));
    }
    let mut paths = vec![home.clone()];
    for target in probe.links_out_of(&home) {
        // Certificates and their keys are of no use without a network.
        let dir = target.strip_prefix("/etc").ok().and_then(|it| it.components().next());
        let dir = dir
            .map(|it| Path::new("/etc").join(it))
            .filter(|it| !it.ends_with("ssl") && !it.ends_with("pki"));
        if let Some(dir) = dir.filter(|it| !paths.contains(it)) {
            paths.push(dir);
        }
    }
    Ok(Toolchain {
        visible: visible(probe, &program, &paths),
        program,
        version: format!("{name} {version}"),
        linking: Linking::Dynamic,
    })
}

fn go(probe: &dyn Probe, program: &Path) -> Answer {
    let said = probe.ask(program, &["env", "GOROOT", "GOVERSION"])?;
    let [root, version] = lines(&said)?;
    let root = PathBuf::from(root);
    let inside = root.join("bin/go");
    let program = match probe.real_path(&inside) {
        Some(_) => inside,
        None => program.to_path_buf(),
    };
    Ok(Toolchain {
        visible: visible(probe, &program, &[root]),
        program,
        version,
        linking: Linking::Static,
    })
}

fn node(probe: &dyn Probe, program: &Path) -> Answer {
    let said = probe.ask(program, &["-p", "process.execPath + '\\n' + process.version"])?;
    let [executable, version] = lines(&said)?;
    let mut toolchain = as_it_is(probe, Path::new(&executable), format!("node {version}"))?;
    let prefix = prefix_of(&toolchain.program).filter(|it| !is_system(it));
    if let Some(prefix) = prefix {
        toolchain.visible = visible(probe, &toolchain.program, &[prefix]);
    }
    Ok(toolchain)
}

const ASK_PERL: &str = "print join(\"\\n\", $^X, $Config{prefix}, $Config{privlibexp}, $Config{archlibexp}, \"perl $Config{version}\"), \"\\n\"";

fn perl(probe: &dyn Probe, program: &Path) -> Answer {
    let said = probe.ask(program, &["-MConfig", "-e", ASK_PERL])?;
    let [executable, prefix, library, machine_library, version] = lines(&said)?;
    let own = PathBuf::from(executable);
    let program = if own.is_absolute() { own } else { program.to_path_buf() };
    Ok(Toolchain {
        visible: visible(probe, &program, &[prefix.into(), library.into(), machine_library.into()]),
        program,
        version,
        linking: Linking::Dynamic,
    })
}

/// A program that needs nothing beside itself; a script needs its interpreter, which must be plain.
fn as_it_is(probe: &dyn Probe, program: &Path, version: String) -> Answer {
    Ok(Toolchain {
        visible: visible(probe, program, &[]),
        program: program.to_path_buf(),
        version,
        linking: Linking::Dynamic,
    })
}

/// The directory above `bin`, where a program's libraries lie as well.
fn prefix_of(program: &Path) -> Option<PathBuf> {
    let bin = program.parent().filter(|it| it.ends_with("bin"))?;
    bin.parent().map(Path::to_path_buf)
}

/// What must be shown for this program with these directories: none of the system's, each once.
fn visible(probe: &dyn Probe, program: &Path, dirs: &[PathBuf]) -> Vec<PathBuf> {
    let mut shown: Vec<PathBuf> = Vec::new();
    for dir in dirs.iter().flat_map(|it| narrow(probe, it)) {
        show(probe, &mut shown, &dir);
        // Files may name each other by the path without links.
        if let Some(real) = probe.real_path(&dir) {
            show(probe, &mut shown, &real);
        }
    }
    for hop in probe.hops(program) {
        let store = STORES.iter().find(|it| hop.starts_with(it));
        show(probe, &mut shown, store.map_or(hop.as_path(), Path::new));
    }
    shown
}

fn show(probe: &dyn Probe, shown: &mut Vec<PathBuf>, path: &Path) {
    let covered = shown.iter().any(|it| path.starts_with(it));
    if covered || is_system(path) {
        return;
    }
    if probe.real_path(path).is_some() {
        shown.retain(|it| !it.starts_with(path));
        shown.push(path.to_path_buf());
    }
}

/// Whole stores of package managers whose programs name each other by path.
const STORES: [&str; 3] = ["/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew"];

/// The directories of an installation; of one that is the user's home or wider, only those of programs.
///
/// A program in `~/bin` must not make the home readable.
fn narrow(probe: &dyn Probe, prefix: &Path) -> Vec<PathBuf> {
    if let Some(store) = STORES.iter().find(|it| prefix.starts_with(it)) {
        return vec![PathBuf::from(store)];
    }
    match is_wide(probe, prefix) {
        true => ["bin", "lib", "lib64", "libexec", "include"].map(|it| prefix.join(it)).to_vec(),
        false => vec![prefix.to_path_buf()],
    }
}

/// Whether a directory holds more than one installation: the user's home and all above it, and the like.
fn is_wide(probe: &dyn Probe, prefix: &Path) -> bool {
    let shared = [
        "/data", "/etc", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var",
    ];
    prefix.ends_with(".local")
        || shared.iter().any(|it| prefix == Path::new(it))
        || probe.home().is_some_and(|home| home.starts_with(prefix))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}

/// Exactly these lines of an answer, none empty.
fn lines<const N: usize>(said: &str) -> Result<[String; N], String> {
    let lines: Vec<String> = said.lines().map(|it| it.trim().to_owned()).take(N).collect();
    let lines: [String; N] = lines.try_into().map_err(|_| unknown_answer(said))?;
    match lines.iter().any(String::is_empty) {
        true => Err(unknown_answer(said)),
        false => Ok(lines),
    }
}

fn unknown_answer(said: &str) -> String {
    format!("gave an answer that is not understood: {:?}", first_line(said))
}

#[cfg(test)]
mod tests;
