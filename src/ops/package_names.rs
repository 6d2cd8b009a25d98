//! The packages of a command: each once, with a unique name.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use juror_core::text::visible;

/// By the paths that the user gave. Empty if there is only one package.
pub type PackageNames = BTreeMap<PathBuf, Arc<str>>;

/// Drops paths that lead to the same package as an earlier one.
///
/// A name is the shortest end of the given path that no other path has. It does not depend on the order.
pub fn distinct_packages(paths: &[PathBuf]) -> (Vec<PathBuf>, PackageNames) {
    let mut packages: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in paths {
        let real = path.canonicalize().or_else(|_| std::path::absolute(path));
        let real = real.unwrap_or_else(|_| path.clone());
        if packages.iter().all(|(_, other)| *other != real) {
            packages.push((path.clone(), real));
        }
    }
    let named = packages.iter().map(|(path, real)| match path.file_name() {
        Some(_) => path_names(path),
        // A path such as `.` has no name.
        None => path_names(real),
    });
    let parts: Vec<Vec<Component<'_>>> = named.collect();
    let mut names = PackageNames::new();
    if packages.len() > 1 {
        let named = packages.iter().zip(shortest_names(&parts));
        names.extend(named.map(|((path, _), name)| (path.clone(), name.into())));
    }
    (packages.into_iter().map(|(path, _)| path).collect(), names)
}

/// Includes the package's own name.
fn path_names(path: &Path) -> Vec<Component<'_>> {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

fn shortest_names(paths: &[Vec<Component<'_>>]) -> Vec<String> {
    let name = |(at, path): (usize, &Vec<Component<'_>>)| {
        let others = || paths.iter().enumerate().filter(|(other, _)| *other != at);
        let is_own = |end: &&[Component<'_>]| !others().any(|(_, other)| other.ends_with(end));
        let ends = (1..path.len()).map(|length| &path[path.len() - length..]);
        let end: PathBuf = ends.into_iter().find(is_own).unwrap_or(path).iter().collect();
        visible(end.as_os_str().as_bytes())
    };
    paths.iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_the_shortest_unique_end_of_its_path_as_name() {
        let check = |paths: &[&str], expected: &[&str]| {
            let split: Vec<Vec<Component<'_>>> =
                paths.iter().map(|path| path_names(Path::new(path))).collect();
            assert_eq!(shortest_names(&split), expected, "{paths:?}");
            let reversed: Vec<Vec<Component<'_>>> = split.into_iter().rev().collect();
            let backwards: Vec<String> = shortest_names(&reversed).into_iter().rev().collect();
            assert_eq!(backwards, expected, "{paths:?}, backwards");
        };
        check(&["/a/sum", "/b/mul"], &["sum", "mul"]);
        check(&["/a/sum", "/b/sum"], &["a/sum", "b/sum"]);
        check(&["/a/x/sum", "/b/x/sum", "/b/y/sum"], &["a/x/sum", "b/x/sum", "y/sum"]);
        check(&["/sum", "/b/sum", "sum"], &["/sum", "b/sum", "sum"]);
        check(&["../sum", "./sum", "../../sum"], &["../sum", "sum", "../../sum"]);
        check(&["/a/sum.zip", "/a/sum", "/b/sum.zip"], &["a/sum.zip", "sum", "b/sum.zip"]);
        check(&["/a/b-c", "/a-b/c", "/a/b/c"], &["b-c", "a-b/c", "b/c"]);
        check(&["/c/a/sum", "/a/sum", "/sum"], &["c/a/sum", "/a/sum", "/sum"]);
    }

    #[test]
    fn a_package_named_twice_counts_once() {
        let keep = tempfile::tempdir().expect("a directory");
        let path = |name: &str| keep.path().join(name);
        std::fs::create_dir_all(path("a/sum")).expect("directories");
        std::os::unix::fs::symlink(path("a"), path("link")).expect("a link");
        let check = |names: &[&str], distinct: &[&str], named: usize| {
            let paths: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
            let (found, names) = distinct_packages(&paths);
            let expected: Vec<PathBuf> = distinct.iter().map(|name| path(name)).collect();
            assert_eq!((found, names.len()), (expected, named), "{paths:?}");
        };
        check(&["a/sum", "a/sum"], &["a/sum"], 0);
        check(&["a/sum", "a/sum/"], &["a/sum"], 0);
        check(&["link/sum", "a/../a/sum"], &["link/sum"], 0);
        check(&["a/sum", "a", "link"], &["a/sum", "a"], 2);
        check(&["none", "none", "other"], &["none", "other"], 2);
    }
}
