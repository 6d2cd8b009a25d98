//! The program that a Rust project with a `Cargo.toml` builds.

use serde::Deserialize;

use crate::language::fault::ProgramFault;

/// Only the keys that name programs; Cargo itself checks the rest.
#[derive(Deserialize)]
struct CargoManifest {
    package: Option<CargoPackage>,
    #[serde(default)]
    bin: Vec<CargoBinary>,
}

#[derive(Deserialize)]
struct CargoBinary {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CargoPackage {
    name: String,
    default_run: Option<String>,
}

/// The entry point comes before `default-run`, the only declared one, and the one with the package's name.
pub fn choose_binary(manifest: &str, entry_point: Option<&str>) -> Result<String, ProgramFault> {
    let fault = |message: &str| {
        ProgramFault::new(message, "give the program in `[package]` as `name` or `default-run`")
    };
    let manifest: CargoManifest = toml::from_str(manifest)
        .map_err(|error| fault(&format!("`Cargo.toml` cannot be read: {}", error.message())))?;
    let package = manifest.package.ok_or_else(|| fault("`Cargo.toml` has no `[package]`"))?;
    let only = <[CargoBinary; 1]>::try_from(manifest.bin).ok().map(|[binary]| binary.name);
    let usual = package.default_run.or(only).unwrap_or(package.name);
    Ok(entry_point.map_or(usual, str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_point_comes_before_the_default_and_the_package() {
        let check = |manifest: &str, entry_point: Option<&str>, found: &str| {
            let result = choose_binary(manifest, entry_point).unwrap_or_else(|fault| fault.message);
            assert!(result.starts_with(found), "{manifest}: {result}");
        };
        let package = "[package]\nname = \"sol\"\nversion = \"0.1.0\"\n";
        let default = package.replace("version", "default-run = \"a\"\nversion");
        check(package, None, "sol");
        check(package, Some("b"), "b");
        check(&default, None, "a");
        check(&default, Some("sol"), "sol");
        let one = format!("{package}[[bin]]\nname = \"x\"\n");
        check(&one, None, "x");
        check(&format!("{one}[[bin]]\nname = \"y\"\n"), None, "sol");
        check("[workspace]\n", None, "`Cargo.toml` has no `[package]`");
        check("[package", None, "`Cargo.toml` cannot be read: ");
    }
}
