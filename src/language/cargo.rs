//! Which program a Rust project with a `Cargo.toml` builds.

use std::path::Path;

use serde::Deserialize;

use crate::language::fault::ProgramFault;

/// The keys of `Cargo.toml` that name its programs; Cargo itself checks the rest.
#[derive(Default, Deserialize)]
struct Manifest {
    package: Option<Package>,
    #[serde(default)]
    bin: Vec<Binary>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Package {
    name: String,
    default_run: Option<String>,
}

#[derive(Deserialize)]
struct Binary {
    name: String,
    path: Option<String>,
}

/// The name of the program to build: the one asked for, the default one, or the only one.
///
/// `files` are the names of the project's files. Cargo's own rules for finding programs hold:
/// `src/main.rs`, `src/bin/NAME.rs`, `src/bin/NAME/main.rs` and `[[bin]]`.
pub fn binary(
    manifest: &str,
    files: &[&Path],
    wanted: Option<&str>,
) -> Result<String, ProgramFault> {
    let fault = |message: &str| {
        ProgramFault::new(
            message,
            "`default-run`, or an entry point that the package names, decides",
        )
    };
    let manifest: Manifest = toml::from_str(manifest)
        .map_err(|error| fault(&format!("`Cargo.toml` cannot be read: {}", error.message())))?;
    let package = manifest.package.ok_or_else(|| fault("`Cargo.toml` has no `[package]`"))?;
    let names = binaries(&package.name, &manifest.bin, files);
    let list = names.join(", ");
    let wanted = wanted.or(package.default_run.as_deref());
    match (wanted, names.as_slice()) {
        (Some(wanted), names) if names.iter().any(|it| it == wanted) => Ok(wanted.to_owned()),
        (Some(wanted), _) => {
            Err(fault(&format!("the Cargo project has no program `{wanted}`, only {list}")))
        }
        (None, [name]) => Ok(name.clone()),
        (None, []) => {
            Err(fault("the Cargo project has no program: neither `src/main.rs` nor a `[[bin]]`"))
        }
        (None, _) => Err(fault(&format!("the Cargo project has several programs: {list}"))),
    }
}

/// The names of all programs of a project.
fn binaries(package: &str, declared: &[Binary], files: &[&Path]) -> Vec<String> {
    let mut names: Vec<String> = declared.iter().map(|it| it.name.clone()).collect();
    let has_path =
        |path: &Path| declared.iter().any(|it| it.path.as_deref().map(Path::new) == Some(path));
    for file in files.iter().filter(|it| !has_path(it)) {
        let name = if *file == Path::new("src/main.rs") {
            Some(package.to_owned())
        } else if let Ok(inside) = file.strip_prefix("src/bin") {
            let own = inside.parent() == Some(Path::new(""))
                && inside.extension().is_some_and(|it| it == "rs");
            let main = inside.components().count() == 2 && inside.ends_with("main.rs");
            let stem = if own { inside.file_stem() } else { inside.parent().map(Path::as_os_str) };
            stem.filter(|_| own || main).and_then(|it| it.to_str()).map(str::to_owned)
        } else {
            None
        };
        if let Some(name) = name.filter(|it| !names.contains(it)) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &str = "[package]\nname = \"sol\"\nversion = \"0.1.0\"\n";

    fn check(manifest: &str, files: &[&str], wanted: Option<&str>, found: &str) {
        let paths: Vec<&Path> = files.iter().map(Path::new).collect();
        let said = binary(manifest, &paths, wanted).unwrap_or_else(|fault| fault.message);
        assert_eq!(said, found, "{manifest} {files:?}");
    }

    #[test]
    fn the_only_program_is_found_without_asking() {
        check(PACKAGE, &["src/main.rs", "src/lib.rs"], None, "sol");
        check(PACKAGE, &["src/bin/a.rs"], None, "a");
        check(PACKAGE, &["src/bin/a/main.rs", "src/bin/a/util.rs"], None, "a");
        let declared = format!("{PACKAGE}[[bin]]\nname = \"x\"\npath = \"src/main.rs\"\n");
        check(&declared, &["src/main.rs"], None, "x");
        let declared = format!("{PACKAGE}[[bin]]\nname = \"x\"\npath = \"x.rs\"\n");
        check(&declared, &["x.rs"], None, "x");
    }

    #[test]
    fn of_several_programs_the_entry_point_or_the_default_decides() {
        let files = ["src/main.rs", "src/bin/a.rs"];
        check(PACKAGE, &files, None, "the Cargo project has several programs: sol, a");
        check(PACKAGE, &files, Some("a"), "a");
        let default = PACKAGE.replace("version", "default-run = \"a\"\nversion");
        check(&default, &files, None, "a");
        check(&default, &files, Some("sol"), "sol");
    }

    #[test]
    fn without_a_program_the_reason_is_said() {
        check(
            PACKAGE,
            &["src/lib.rs"],
            None,
            "the Cargo project has no program: neither `src/main.rs` nor a `[[bin]]`",
        );
        check(
            PACKAGE,
            &["src/main.rs"],
            Some("b"),
            "the Cargo project has no program `b`, only sol",
        );
        check("[workspace]\n", &[], None, "`Cargo.toml` has no `[package]`");
        let said = binary("[package", &[], None);
        let said = said.expect_err("no TOML").message;
        assert!(said.starts_with("`Cargo.toml` cannot be read: "), "{said}");
    }
}
