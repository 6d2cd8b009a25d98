//! A text is read as `problem.yaml` and as `generators.yaml`: every fault has a place in its file.
#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use juror_core::diagnostic::Diagnostic;
use juror_core::root::FilePath;
use juror_packages::package;
use juror_packages::package::recipe;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static DIR: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join(recipe::DIRECTORY)).expect("a directory");
    dir
});

fuzz_target!(|text: &[u8]| {
    let dir = DIR.path();
    let recipe = dir.join(recipe::PATH);
    fs::write(dir.join("problem.yaml"), text).expect("a file");
    fs::write(&recipe, "").expect("a file");
    check(&package::read(dir).diagnostics, dir, text);
    fs::write(&recipe, text).expect("a file");
    for is_old in [false, true] {
        let reading = recipe::read(&FilePath::root(&recipe), &FilePath::root(dir), &[], is_old);
        check(&reading.diagnostics, dir, text);
    }
});

fn check(diagnostics: &[Diagnostic], dir: &Path, text: &[u8]) {
    assert!(diagnostics.len() <= 1000, "{} diagnostics", diagnostics.len());
    let lines = text.split(|byte| matches!(byte, b'\n' | b'\r')).count();
    for diagnostic in diagnostics {
        assert!(diagnostic.message.len() <= 10_000, "{diagnostic:?}");
        assert!(!diagnostic.message.chars().any(char::is_control), "{diagnostic:?}");
        assert!(diagnostic.place.path.starts_with(dir), "{diagnostic:?}");
        if let Some(spot) = &diagnostic.place.spot {
            assert!(spot.line >= 1 && spot.line as usize <= lines, "{diagnostic:?}");
            assert!(spot.column >= 1 && spot.width >= 1, "{diagnostic:?}");
        }
    }
}
