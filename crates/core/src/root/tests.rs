//! Opens files in both ways: by the system, and by components.

use super::*;
use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use tempfile::TempDir;

thread_local! {
    /// Whether this thread opens by components, as on systems that cannot do it themselves.
    pub(super) static BY_COMPONENTS: Cell<bool> = const { Cell::new(false) };
}

/// Runs a test in both ways.
fn check_both_ways(test: impl Fn(&TempDir)) {
    for by_components in [false, true] {
        BY_COMPONENTS.set(by_components);
        test(&tempfile::tempdir().unwrap());
    }
    BY_COMPONENTS.set(false);
}

/// A package with files and links, and next to it a directory with a secret. Returns the path of the package.
fn package(dir: &TempDir) -> FilePath {
    let (package, outside) = (dir.path().join("p"), dir.path().join("outside"));
    fs::create_dir_all(package.join("sub/deep")).unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::write(package.join("file"), "inside").unwrap();
    fs::write(package.join("sub/deep/file"), "deep").unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    FilePath::root(package)
}

fn text(file: &FilePath) -> Result<String, ErrorText> {
    file.read_text(1000).map_err(|error| {
        if is_outside_error(&error) {
            "outside".to_owned()
        } else {
            error.to_string().split(" (os").next().unwrap_or_default().to_owned()
        }
    })
}

type ErrorText = String;

#[test]
fn a_link_is_followed_if_it_ends_below_the_root() {
    check_both_ways(|dir| {
        let root = package(dir);
        let check = |target: &str, expected: Result<&str, &str>| {
            let target = target.replace("DIR", &dir.path().display().to_string());
            let link = root.join("sub/link");
            symlink(&target, &link.path).unwrap();
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(text(&link), expected, "{target}");
            assert_eq!(link.is_file(), expected.is_ok(), "{target}");
            assert_eq!(link.resolve_links().is_ok(), expected.is_ok(), "{target}");
            fs::remove_file(&link.path).unwrap();
        };
        check("../file", Ok("inside"));
        check("deep/file", Ok("deep"));
        check("deep/../../sub/./deep//file", Ok("deep"));
        check("DIR/p/file", Ok("inside"));
        check("../../p/file", Ok("inside"));
        check("/dev/../DIR/p/sub/deep/file", Ok("deep"));
        check("../../outside/secret", Err("outside"));
        check("DIR/outside/secret", Err("outside"));
        check("DIR/p/../outside/secret", Err("outside"));
        check("/etc/passwd", Err("outside"));
        check("/proc/self/environ", Err("outside"));
        check("/proc/self/cwd", Err("outside"));
        check("/proc/self/root/etc/passwd", Err("outside"));
        check("/dev/zero", Err("outside"));
        check("../../../../../../../../../../../etc/passwd", Err("outside"));
        check("nowhere", Err("No such file or directory"));
        check("/nowhere", Err("No such file or directory"));
        check("link", Err("Too many levels of symbolic links"));
        check("../file/x", Err("Not a directory"));
    });
}

#[test]
fn an_open_file_of_a_process_is_outside_the_root() {
    use std::os::fd::AsRawFd;
    check_both_ways(|dir| {
        let root = package(dir);
        let open = File::open(dir.path().join("outside/secret")).unwrap();
        for target in ["/proc/self/fd/", "/dev/fd/"] {
            symlink(format!("{target}{}", open.as_raw_fd()), root.join("fd").path).unwrap();
            assert_eq!(text(&root.join("fd")), Err("outside".into()));
            fs::remove_file(root.join("fd").path).unwrap();
        }
    });
}

#[test]
fn a_chain_of_links_is_followed_within_the_root_and_ends() {
    check_both_ways(|dir| {
        let root = package(dir);
        symlink("file", root.join("l0").path).unwrap();
        for index in 0..40 {
            symlink(format!("l{index}"), root.join(format!("l{}", index + 1)).path).unwrap();
        }
        assert_eq!(text(&root.join("l39")), Ok("inside".into()));
        assert_eq!(text(&root.join("l40")), Err("Too many levels of symbolic links".into()));
        symlink("../outside", root.join("dir").path).unwrap();
        symlink("dir/secret", root.join("through").path).unwrap();
        for name in ["through", "dir/secret", "dir/../outside/secret", "../outside/secret"] {
            assert_eq!(text(&root.join(name)), Err("outside".into()), "{name}");
        }
        assert_eq!(text(&root.join("/etc/passwd")), Err("outside".into()));
        assert_eq!(root.join("sub/../l3").resolve_links().unwrap(), root.join("file"));
    });
}

#[test]
fn the_root_itself_may_be_a_link_and_a_file() {
    check_both_ways(|dir| {
        let root = package(dir);
        let link = dir.path().join("link");
        symlink(&root.path, &link).unwrap();
        assert_eq!(text(&FilePath::root(&link).join("file")), Ok("inside".into()));
        let file = FilePath::root(link.join("file"));
        assert_eq!(text(&file), Ok("inside".into()));
        assert_eq!(text(&file.with_file_name("sub")), Err("outside".into()));
        assert!(file.directory().is_none());
    });
}

#[test]
fn only_regular_files_are_read_without_waiting() {
    check_both_ways(|dir| {
        let root = package(dir);
        let _socket = UnixListener::bind(root.join("socket").path).unwrap();
        let mode = rustix::fs::Mode::from_bits_retain(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        // Apple's systems have no such call.
        rustix::fs::mknodat(rustix::fs::CWD, &root.join("fifo").path, fifo, mode, 0).unwrap();
        for name in ["socket", "fifo", "sub"] {
            let file = root.join(name);
            assert!(file.open().is_err() && !file.is_file(), "{name}");
            assert!(file.exists(), "{name}");
            assert!(file.open_to_append().is_err(), "{name}");
        }
    });
}

#[test]
fn a_file_that_a_link_replaces_after_a_check_is_not_read() {
    check_both_ways(|dir| {
        let root = package(dir);
        let file = root.join("sub/deep/file");
        assert!(file.is_file());
        let opened = file.open().unwrap();
        fs::rename(root.join("sub/deep").path, dir.path().join("moved")).unwrap();
        symlink("../../outside", root.join("sub/deep").path).unwrap();
        fs::write(dir.path().join("outside/file"), "secret").unwrap();
        assert_eq!(text(&file), Err("outside".into()));
        assert_eq!(io::read_to_string(opened).unwrap(), "deep", "what was checked");
        assert!(file.create().is_err() && file.remove().is_err());
        assert!(file.directory().unwrap().join("new/x").make_directories().is_err());
        assert_eq!(fs::read_dir(dir.path().join("outside")).unwrap().count(), 2);
    });
}

#[test]
fn a_path_that_is_replaced_all_the_time_never_leads_outside() {
    check_both_ways(|dir| {
        let root = package(dir);
        let (path, file) = (root.join("sub/deep").path, root.join("sub/deep/secret"));
        fs::write(&file.path, "deep").unwrap();
        let by_components = BY_COMPONENTS.get();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let aside = root.join("sub/aside").path;
                let link = root.join("sub/link").path;
                symlink("../../outside", &link).unwrap();
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    fs::rename(&path, &aside).unwrap();
                    fs::rename(&link, &path).unwrap();
                    fs::rename(&path, &link).unwrap();
                    fs::rename(&aside, &path).unwrap();
                }
            });
            BY_COMPONENTS.set(by_components);
            for _ in 0..2000 {
                assert_ne!(text(&file), Ok("secret".into()));
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    });
}

#[test]
fn a_new_file_is_below_the_root_and_replaces_links_without_following_them() {
    check_both_ways(|dir| {
        let root = package(dir);
        let outside = dir.path().join("outside/secret");
        symlink(&outside, root.join("link").path).unwrap();
        symlink("../outside", root.join("dir").path).unwrap();
        symlink("nowhere", root.join("dangling").path).unwrap();
        symlink("sub", root.join("inner").path).unwrap();
        for name in ["link", "file", "dir/new", "dir/secret", "../new", "dangling/x", "sub"] {
            assert!(root.join(name).create().is_err(), "{name}");
        }
        root.join("a/b/c").create().unwrap().write_all(b"new").unwrap();
        root.join("inner/new").create().unwrap();
        assert!(root.join("sub/new").is_file());
        let write = |file: &FilePath| file.create()?.write_all(b"replaced");
        let ready = root.join("link").prepare_replacement(write).unwrap();
        assert_eq!(fs::read_to_string(&root.join("link").path).unwrap(), "secret");
        ready.commit().unwrap();
        assert_eq!(text(&root.join("link")), Ok("replaced".into()));
        drop(root.join("file").prepare_replacement(write).unwrap());
        assert_eq!(text(&root.join("file")), Ok("inside".into()));
        assert!(root.join("dir/x").prepare_replacement(write).is_err());
        let left: Vec<_> = root.names().unwrap();
        assert!(
            !left.iter().any(|name| name.as_encoded_bytes().starts_with(b".juror")),
            "{left:?}"
        );
        assert_eq!(fs::read_to_string(&outside).unwrap(), "secret");
        assert_eq!(fs::read_dir(dir.path().join("outside")).unwrap().count(), 1);
    });
}

#[test]
fn a_walk_ends_although_links_multiply_files() {
    /// Returns the names of all files, and what was not reached.
    fn all(start: &FilePath, bounds: WalkBounds) -> (Vec<String>, Vec<String>) {
        let (mut files, mut unreached) = (Vec::new(), Vec::new());
        let name = |path: &FilePath| path.strip_prefix(&**start).unwrap().display().to_string();
        let mut walk = start.walk(bounds);
        while let Some(next) = walk.next() {
            let entry = match next {
                Ok(entry) => entry,
                Err(error) => {
                    unreached.push(format!("{}: {}", name(&error.path), error.reason));
                    continue;
                }
            };
            match entry.kind_and_metadata() {
                Ok((PathKind::File, _)) => files.push(name(&entry.path)),
                Ok((PathKind::Directory, _)) => {
                    if let Err(error) = walk.enter(&entry) {
                        unreached.push(format!("{}: {}", name(&error.path), error.reason));
                    }
                }
                Err(reason) => unreached.push(format!("{}: {reason}", name(&entry.path))),
            }
        }
        (files, unreached)
    }
    check_both_ways(|dir| {
        let root = package(dir);
        symlink("sub", root.join("again").path).unwrap();
        symlink("..", root.join("sub/up").path).unwrap();
        symlink("/etc", root.join("sub/out").path).unwrap();
        let (files, unreached) = all(&root, WalkBounds::PACKAGE);
        assert_eq!(files, ["again/deep/file", "file", "sub/deep/file"]);
        assert_eq!(
            unreached,
            [
                "again/out: is a link that leads out",
                "again/up: is a link to a directory that contains it",
                "sub/out: is a link that leads out",
                "sub/up: is a link to a directory that contains it",
            ]
        );
        let many = root.join("many");
        for level in 0..8 {
            let level_path = many.join(level.to_string());
            fs::create_dir_all(&level_path.path).unwrap();
            for link in 0..8 {
                let target = format!("../{}", level + 1);
                symlink(target, level_path.join(format!("l{link}")).path).unwrap();
            }
        }
        fs::create_dir_all(many.join("8").path).unwrap();
        let bounds = WalkBounds { entries: 1000, behind_links: 100, depth: 20, nested_links: 5 };
        let (_, unreached) = all(&many, bounds);
        assert_eq!(unreached, [": has more than 5 links to directories in each other"]);
        let (_, unreached) = all(&many, WalkBounds { nested_links: 9, ..bounds });
        let expected = ": has more than 100 files and directories, counted behind links, too";
        assert_eq!(unreached, [expected]);
        let deep: PathBuf = std::iter::repeat_n("d", 40).collect();
        fs::create_dir_all(root.join("deep").join(deep).path).unwrap();
        let (_, unreached) = all(&root.join("deep"), bounds);
        assert_eq!(unreached, [": has more than 20 directories in each other"]);
    });
}
