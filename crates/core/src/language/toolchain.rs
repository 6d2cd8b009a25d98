//! The compilers and interpreters of a machine, each found once. The search looks behind wrappers: it asks each tool
//! for its real path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::judgement::JudgeError;
use crate::language::probe::{
    AskFault, FailedCandidate, Linking, Lookup, Probe, Toolchain, normalize,
};
use crate::language::tool::{TOOLS, Tool, ToolQuery};
use crate::recent::RecentValues;

/// Every program sees these directories.
pub const SYSTEM_DIRS: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// Stores of package managers whose programs refer to each other by path. They are shown whole.
const STORES: [&str; 3] = ["/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew"];

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

impl MissingTool {
    fn reason(&self) -> String {
        let tried = self.tried.iter();
        let tried = tried.map(|failed| format!("; {}: {}", failed.program.display(), failed.fault));
        let tried: String = tried.collect();
        format!("{} not found{tried}", self.tool)
    }
}

fn missing_tool(
    purpose: &str,
    tool: &str,
    help: String,
) -> impl FnOnce(Vec<FailedCandidate>) -> MissingTool {
    let (purpose, tool) = (purpose.to_owned(), tool.to_owned());
    move |tried| MissingTool { purpose, tool, tried, help }
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
    lookups: RecentValues<String, Lookup>,
}

impl Toolchains {
    pub fn new(probe: Box<dyn Probe>) -> Self {
        Self { probe, lookups: RecentValues::default() }
    }

    /// `purpose` is such as `build Java programs`.
    pub fn find(&self, tool: &Tool, purpose: &str) -> Result<Arc<Toolchain>, MissingTool> {
        self.search(tool).map_err(missing_tool(purpose, tool.name(), tool.help()))
    }

    /// For a name or an absolute path in a `#!` line or a command line. The program is not started.
    pub fn find_named(&self, name: &str, purpose: &str) -> Result<Arc<Toolchain>, MissingTool> {
        let lookup = self.find_once(name, || find_program(self, name));
        let help = format!("install `{name}`, or give the path of another program");
        lookup.map_err(missing_tool(purpose, name, help))
    }

    /// For a path that the user typed. The program is not started.
    pub(super) fn find_at(&self, path: &Path) -> Result<Arc<Toolchain>, MissingTool> {
        let word = path.to_string_lossy();
        let unqueried = || Ok(Arc::new(toolchain_without_query(self.probe(), path)));
        let lookup = self.probe.remote_lookup(&word).unwrap_or_else(unqueried);
        let help = "give a program that is on the search path of the workers".to_owned();
        lookup.map_err(missing_tool("run the command", &word, help))
    }

    pub(super) fn search(&self, tool: &Tool) -> Lookup {
        self.find_once(&tool.placeholder(), || find_tool(self, tool).map(Arc::new))
    }

    pub fn probe(&self) -> &dyn Probe {
        self.probe.as_ref()
    }

    /// Threads that ask for the same tool at the same time wait for one search; others do not.
    fn find_once(&self, key: &str, find: impl FnOnce() -> Lookup) -> Lookup {
        let lookup = self.lookups.get(key.to_owned(), || {
            let lookup = self.probe.remote_lookup(key).unwrap_or_else(find);
            // Next time, the machine may not be short of it.
            let is_short = lookup.as_ref().is_err_and(|tried| machine_fault(tried).is_some());
            if is_short { Err(lookup) } else { Ok(lookup) }
        });
        lookup.unwrap_or_else(|short| short)
    }
}

/// The first program that answers counts, over all names of the tool.
fn find_tool(tools: &Toolchains, tool: &Tool) -> Result<Toolchain, Vec<FailedCandidate>> {
    if tool.name() == "java"
        && let Some(compiler) = tool_by_name(tools, "javac").map_err(|failed| vec![failed])?
        && let Some(found) = jvm_of_compiler(tools.probe(), &compiler)
    {
        return Ok(found);
    }
    first_that_answers(tools, tool)
}

/// Finds the program that a `#!` line or a command names. It is never started, whatever its name: it may come with a
/// submission. The usual name of an interpreter means the tool that juror finds for itself.
fn find_program(tools: &Toolchains, name: &str) -> Lookup {
    let probe = tools.probe();
    let interpreter = known_interpreter(name);
    if let Some(usual) = interpreter.filter(|tool| tool.names().any(|usual| usual == name)) {
        return tools.search(usual);
    }
    let program = allowed_program(probe, name).ok_or_else(Vec::new)?;
    if let Some(interpreter) = interpreter
        && let Some(own) =
            existing_tool(tools.search(interpreter)).map_err(|failed| vec![failed])?
    {
        let is_own = |path: &Path| probe.real_path(path) == probe.real_path(&own.program);
        // Java has settings outside of its home.
        let is_java = matches!(interpreter.query, ToolQuery::Java) && is_own(&program);
        // A wrapper of a version manager does not start in the sandbox; what is behind it does.
        let is_wrapper = !name.contains('/') && !is_system(&program);
        if is_java || (is_wrapper && is_own(&own.program.with_file_name(name))) {
            return Ok(own);
        }
    }
    Ok(Arc::new(toolchain_without_query(probe, &program)))
}

/// A path must be in a directory of the search path, or in one of the system.
fn allowed_program(probe: &dyn Probe, name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let on_path = probe.on_path(path.file_name()?.to_str()?);
    if !name.contains('/') {
        return on_path.into_iter().next();
    }
    let program = probe.on_path(name).into_iter().next()?;
    let is_plain = path.is_absolute() && normalize(path) == path;
    (is_plain && (is_system(path) || on_path.contains(&program))).then_some(program)
}

/// An interpreter needs the files of its installation, which is above its directory `bin`.
fn toolchain_without_query(probe: &dyn Probe, program: &Path) -> Toolchain {
    let mut dirs = Vec::new();
    if program.to_str().and_then(known_interpreter).is_some() {
        let hops = probe.link_chain(program);
        let bins = hops.iter().filter_map(|hop| hop.parent()).filter(|dir| dir.ends_with("bin"));
        dirs.extend(bins.filter_map(|bin| bin.parent().map(Path::to_path_buf)));
    }
    new_toolchain(probe, program, String::new(), &dirs)
}

/// Interpreters that need further files.
pub fn known_interpreter(name: &str) -> Option<&'static Tool> {
    Tool::by_interpreter_name(Path::new(name).file_name()?.to_str()?)
}

type QueryResult = Result<Toolchain, AskFault>;

fn first_that_answers(tools: &Toolchains, tool: &Tool) -> Result<Toolchain, Vec<FailedCandidate>> {
    let mut tried = Vec::new();
    for program in tool.names().flat_map(|name| tools.probe().on_path(name)) {
        match query_tool(tools, &program, tool) {
            Ok(toolchain) => return Ok(toolchain),
            Err(fault) => {
                let is_short = !matches!(fault, AskFault::Tool(_));
                tried.push(FailedCandidate { program, fault });
                if is_short {
                    // Another tool would be chosen by luck.
                    break;
                }
            }
        }
    }
    Err(tried)
}

/// If the machine was short of something, it is unknown whether the tool exists.
fn existing_tool(lookup: Lookup) -> Result<Option<Arc<Toolchain>>, FailedCandidate> {
    match lookup {
        Ok(toolchain) => Ok(Some(toolchain)),
        Err(tried) => machine_fault(&tried).cloned().map_or(Ok(None), Err),
    }
}

fn tool_by_name(tools: &Toolchains, name: &str) -> Result<Option<Arc<Toolchain>>, FailedCandidate> {
    let row = TOOLS.iter().find(|tool| tool.name() == name);
    row.map_or(Ok(None), |row| existing_tool(tools.search(row)))
}

fn query_tool(tools: &Toolchains, program: &Path, tool: &Tool) -> QueryResult {
    let probe = tools.probe();
    let lines = |args: &str| {
        let args: Vec<&str> = args.split_whitespace().collect();
        let answer = probe.ask(program, &args)?;
        // A virtual machine may print warnings before its program prints anything.
        let lines = answer.lines().filter(|line| !line.contains(" warning: "));
        Ok::<_, AskFault>(lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>())
    };
    let first = |args: &str| Ok::<_, AskFault>(lines(args)?.into_iter().next().unwrap_or_default());
    match tool.query {
        ToolQuery::Compiler(archives) => query_compiler(probe, program, archives),
        ToolQuery::Cargo => query_cargo(tools, program),
        ToolQuery::Java => query_java(probe, program, tool.name()),
        ToolQuery::Version { option, visible } => {
            let visible: Vec<PathBuf> = visible.split_whitespace().map(PathBuf::from).collect();
            // A script finds its home through the links to it; inside the box, such a link would be a file.
            let is_alternative = |path: &PathBuf| path.starts_with("/etc/alternatives");
            let real = if probe.link_chain(program).iter().any(is_alternative) {
                probe.real_path(program)
            } else {
                None
            };
            let program = real.as_deref().unwrap_or(program);
            Ok(new_toolchain(probe, program, first(option)?, &visible))
        }
        ToolQuery::Home { home, version, program: inside } => {
            let version = first(version)?;
            let mut dirs = lines(home)?.into_iter().map(PathBuf::from);
            let (home, libraries) = (dirs.next().unwrap_or_default(), dirs.next());
            let existing =
                |path: PathBuf| Some(path).filter(|path| probe.real_path(path).is_some());
            let inside = existing(home.join(inside));
            let lld = libraries.and_then(|dir| existing(dir.with_file_name("bin").join("gcc-ld")));
            let lld = lld.filter(|path| inside.is_some() && path.starts_with(&home));
            let program = inside.as_deref().unwrap_or(program);
            Ok(Toolchain { lld, ..new_toolchain(probe, program, version, &[home]) })
        }
        ToolQuery::Script { options, script } => {
            let args: Vec<&str> = options.split_whitespace().chain([script]).collect();
            let answer = probe.ask(program, &args)?;
            let lines: Vec<&str> = answer.lines().map(str::trim).collect();
            match &lines[..] {
                [own, version, dirs @ ..] if lines.iter().all(|line| !line.is_empty()) => {
                    let own = Some(Path::new(own)).filter(|path| path.is_absolute());
                    let dirs: Vec<PathBuf> = dirs.iter().map(PathBuf::from).collect();
                    Ok(new_toolchain(probe, own.unwrap_or(program), (*version).to_owned(), &dirs))
                }
                _ => {
                    let what = "printed something that juror does not understand";
                    Err(format!("{what}: {:?}", first_line(&answer)).into())
                }
            }
        }
    }
}

/// For GCC and compilers with the same options. A static program needs these archives.
fn query_compiler(probe: &dyn Probe, program: &Path, archives: &str) -> QueryResult {
    // Compiler caches find the compiler by the name of their call, and keep state in the user's home.
    let real = probe.real_path(program).unwrap_or_default();
    if ["ccache", "sccache", "distcc", "icecc"].iter().any(|name| real.ends_with(name)) {
        return Err("is a compiler cache".to_owned().into());
    }
    let version = first_line(&probe.ask(program, &["--version"])?);
    let library = |name: &str| {
        let answer = match probe.ask(program, &[&format!("-print-file-name={name}")]) {
            Err(AskFault::Tool(_)) => return Ok(None),
            answer => PathBuf::from(answer?.trim()),
        };
        Ok::<_, AskFault>(answer.is_absolute().then(|| probe.size(&answer)).flatten())
    };
    // Up to glibc 2.33, threads are in a separate archive, and a static program misses parts of it. Later, that
    // archive is empty: 8 bytes.
    let threads_apart = library("libpthread.a")?.is_some_and(|size| size > 8);
    let mut is_static = !threads_apart;
    for archive in archives.split_whitespace() {
        is_static = is_static && library(archive)?.is_some();
    }
    let bin = real.parent().filter(|dir| dir.ends_with("bin"));
    let prefix = bin.and_then(Path::parent).map(Path::to_path_buf);
    let toolchain = new_toolchain(probe, program, version, prefix.as_slice());
    let linking = if is_static { Linking::Static } else { Linking::Dynamic };
    Ok(Toolchain { linking, ..toolchain })
}

/// Prefers the Cargo next to the compiler: that of rustup would look for the user's settings.
fn query_cargo(tools: &Toolchains, program: &Path) -> QueryResult {
    let probe = tools.probe();
    let neighbour = tool_by_name(tools, "rustc")
        .map_err(|failed| failed.fault)?
        .map(|rustc| rustc.program.with_file_name("cargo"))
        .filter(|cargo| probe.real_path(cargo).is_some());
    let program = neighbour.as_deref().unwrap_or(program);
    let version = first_line(&probe.ask(program, &["--version"])?);
    Ok(new_toolchain(probe, program, version, &[]))
}

fn jvm_of_compiler(probe: &dyn Probe, compiler: &Toolchain) -> Option<Toolchain> {
    let program = compiler.program.with_file_name("java");
    probe.real_path(&program)?;
    let version = compiler.version.replacen("javac", "java", 1);
    Some(new_toolchain(probe, &program, version, &compiler.visible))
}

fn query_java(probe: &dyn Probe, program: &Path, name: &str) -> QueryResult {
    let args = match name {
        // Options of the virtual machine, which then does not start the compiler.
        "javac" => ["-J-XshowSettings:properties", "-J-version"],
        _ => ["-XshowSettings:properties", "-version"],
    };
    let answer = probe.ask(program, &args)?;
    let property = |name: &str| {
        let mut pairs = answer.lines().filter_map(|line| line.trim().split_once(" = "));
        let value = pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
        value.ok_or_else(|| format!("does not report its {name}"))
    };
    let home = PathBuf::from(property("java.home")?);
    let version = format!("{name} {}", property("java.version")?);
    let program = home.join("bin").join(name);
    if probe.real_path(&program).is_none() {
        return Err(format!("has no {}", program.display()).into());
    }
    let mut paths = vec![home.clone()];
    for target in probe.links_out_of(&home) {
        // Certificates and their keys are useless without a network.
        let dir = target.strip_prefix("/etc").ok().and_then(|path| path.components().next());
        let dir = dir
            .map(|name| Path::new("/etc").join(name))
            .filter(|dir| !dir.ends_with("ssl") && !dir.ends_with("pki"));
        paths.extend(dir.filter(|dir| !paths.contains(dir)));
    }
    Ok(new_toolchain(probe, &program, version, &paths))
}

/// The program sees these directories, and every step of the links to it.
fn new_toolchain(
    probe: &dyn Probe,
    program: &Path,
    version: String,
    dirs: &[PathBuf],
) -> Toolchain {
    let mut visible: Vec<PathBuf> = Vec::new();
    for dir in dirs.iter().flat_map(|prefix| visible_dirs(probe, prefix)) {
        add_visible(probe, &mut visible, &dir);
        // Files may refer to each other by the path without links.
        if let Some(real) = probe.real_path(&dir) {
            add_visible(probe, &mut visible, &real);
        }
    }
    for hop in probe.link_chain(program) {
        let store = STORES.iter().find(|store| hop.starts_with(store));
        add_visible(probe, &mut visible, store.map_or(hop.as_path(), Path::new));
    }
    let program = program.to_path_buf();
    Toolchain { program, visible, version, linking: Linking::Dynamic, lld: None }
}

fn add_visible(probe: &dyn Probe, visible: &mut Vec<PathBuf>, path: &Path) {
    let covered = visible.iter().any(|dir| path.starts_with(dir));
    if covered || is_system(path) {
        return;
    }
    if probe.real_path(path).is_some() {
        visible.retain(|dir| !dir.starts_with(path));
        visible.push(path.to_path_buf());
    }
}

/// The directories of an installation; if its prefix is the user's home or wider, only those with programs.
///
/// A program in `~/bin` must not make the home readable.
fn visible_dirs(probe: &dyn Probe, prefix: &Path) -> Vec<PathBuf> {
    if let Some(store) = STORES.iter().find(|store| prefix.starts_with(store)) {
        return vec![PathBuf::from(store)];
    }
    if is_shared_dir(probe, prefix) {
        ["bin", "lib", "lib64", "libexec", "include"].map(|name| prefix.join(name)).to_vec()
    } else {
        vec![prefix.to_path_buf()]
    }
}

/// Whether a directory can hold more than one installation, such as the user's home and all directories above it.
fn is_shared_dir(probe: &dyn Probe, prefix: &Path) -> bool {
    let shared = [
        "/data", "/etc", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var",
    ];
    prefix.ends_with(".local")
        || shared.iter().any(|dir| prefix == Path::new(dir))
        || probe.home().is_some_and(|home| home.starts_with(prefix))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}

pub fn is_system(path: &Path) -> bool {
    SYSTEM_DIRS.iter().any(|dir| path.starts_with(dir))
}

#[cfg(test)]
mod tests;
