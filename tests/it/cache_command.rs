//! `juror cache`, and directories that cannot be a cache.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output};

use juror_core::blob::Blob;
use juror_judging::cache::store::{CAP, Store};

use crate::fixture::Fixture;
use crate::sandbox::skip;
use crate::wire;

fn fill_cache(dir: &Path) {
    let store = Store::open(dir, CAP).unwrap();
    for length in [10, 20, 100_000] {
        let blob = Blob::from(vec![7; length]);
        assert!(store.keep(&blob));
        store.put(&blob.digest().unwrap(), b"result");
    }
}

#[test]
fn the_cache_can_be_shown_checked_and_pruned() {
    let fixture = Fixture::new();
    fixture.check_with_cache("cache", 0, &["cache/juror: nothing is kept yet"]);
    fixture.write("other/file", "");
    let nothing = "other: nothing is kept yet";
    fixture.check_with_cache("cache prune --cache other", 0, &[nothing]);
    assert!(!fixture.path("other/facts").exists());
    assert!(!fixture.path("cache").exists());
    fill_cache(&fixture.path("cache/juror"));
    fill_cache(&fixture.path("kept"));
    let shown = ["results      5\n", "large files  1\n", " of 2 GiB\n", "oldest use   today"];
    fixture.check_with_cache("cache", 0, &shown);
    fixture.check("cache stat --cache kept", 0, &[&["directory    kept"], &shown[..]].concat());
    fixture.check("cache verify --cache kept", 0, &["6 entries, all intact"]);
    let blobs = fs::read_dir(fixture.path("kept/facts/blobs")).unwrap();
    let blobs: Vec<_> = blobs.map(|entry| entry.unwrap().path()).collect();
    fs::write(&blobs[0], "damaged").unwrap();
    let damaged = "5 entries are intact, 1 were damaged and have been removed";
    fixture.check("cache verify --cache=kept", 0, &[damaged]);
    fixture.check("cache verify --cache=kept", 0, &["5 entries, all intact"]);
    fixture.check("cache prune --cache=kept", 0, &["removed 0 B"]);
    fixture.check("cache prune --to 0 --cache=kept", 0, &["0 B left"]);
    fixture.check("cache --cache=kept", 0, &["results 0", "oldest use nothing"]);
    fixture.check_with_cache("cache", 0, &shown);
    fixture.check("cache verify --to 1", 2, &["--to is only for `juror cache prune`"]);
}

#[test]
fn the_option_overrides_the_environment() {
    let fixture = Fixture::new();
    let check = |set: Option<&str>, arguments: &str, expected: &str| {
        let mut command = fixture.juror(arguments);
        command.env_remove("JUROR_CACHE");
        if let Some(set) = set {
            command.env("JUROR_CACHE", set);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(text.contains(expected), "{set:?} {arguments}: {text}");
    };
    check(None, "cache", "cache/juror: nothing is kept");
    check(Some(""), "cache", "cache/juror: nothing is kept");
    check(Some("a"), "cache", "a: nothing is kept");
    check(Some("a"), "cache --cache b", "b: nothing is kept");
    check(Some("off"), "cache --cache b", "b: nothing is kept");
    check(Some("off"), "cache", "the cache is off");
    check(Some("a"), "cache --cache=off", "the cache is off");
}

#[test]
fn an_unusable_directory_gets_a_message_with_a_way_out() {
    let fixture = Fixture::new();
    let check = |why: &str, help: &str| {
        fixture.check("cache --cache kept", 2, &["kept", why, help]);
        let kept = fixture.path("kept");
        if kept.is_dir() && !kept.is_symlink() {
            fs::remove_dir_all(kept).unwrap();
        } else {
            fs::remove_file(kept).unwrap();
        }
    };
    let named = "give a local directory that only you can write";
    fs::write(fixture.path("kept"), "").unwrap();
    check("File exists", named);
    symlink(fixture.path("nowhere"), fixture.path("kept")).unwrap();
    check("No such file or directory", named);
    fs::create_dir(fixture.path("kept")).unwrap();
    fs::set_permissions(fixture.path("kept"), fs::Permissions::from_mode(0o777)).unwrap();
    check("other users can write to it", "run: chmod go-w");
    fill_cache(&fixture.path("kept"));
    fs::write(fixture.path("kept/facts/version"), "9\n").unwrap();
    check("a newer juror made it (version 9, this one knows 1)", named);
}

/// Judges with the cache `cache_command`, after a script.
fn judge_after_script(fixture: &Fixture, script: &str) -> Output {
    let judge = "exec \"$0\" judge sum accepted/right.sh --cache=kept";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &format!("{script} && {judge}")]);
    command.arg(wire::juror().get_program()).current_dir(fixture.path(""));
    command.env("CI", "true").env("TMPDIR", fixture.path("")).output().unwrap()
}

#[test]
fn an_unusable_cache_gives_one_warning_and_judging_works() {
    let can_mount = Command::new("unshare").args(["--mount", "true"]).output();
    if !can_mount.is_ok_and(|output| output.status.success()) {
        return skip("nothing can be mounted here");
    }
    let check = |script: &str, message: &str, error: &str| {
        let fixture = Fixture::new();
        fs::create_dir(fixture.path("kept")).unwrap();
        let output = judge_after_script(&fixture, script);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success() && text.contains("AC"), "{script}: {text}");
        for piece in [message, error] {
            assert_eq!(text.matches(piece).count(), 1, "{script}: `{piece}` in: {text}");
        }
    };
    let (unusable, unwritable) = ("the cache cannot be used", "the cache cannot be written");
    let mount = "mount -t tmpfs -o mode=700,size=4k none kept";
    let read_only = "mount -o remount,ro kept";
    let begun = "mkdir -p kept/facts/blobs && echo 1 > kept/facts/version";
    check(mount, unwritable, "No space left on device");
    check(&format!("{mount} && {read_only}"), unusable, "Read-only file system");
    check(&format!("{mount} && {begun} && {read_only}"), unwritable, "Read-only file system");
    check("chown 12345 kept", unusable, "belongs to another user");
    check("rmdir kept && ln -s /etc kept && chown -h 12345 kept", unusable, "symbolic link");
}

#[test]
fn concurrent_and_killed_commands_leave_an_intact_cache() {
    let fixture = Fixture::new();
    let start = || {
        let mut command = wire::juror();
        command.args(["verify", "sum", "--cache=kept", "--quiet"]).current_dir(fixture.path(""));
        command.env("TMPDIR", fixture.path("")).spawn().unwrap()
    };
    let mut killed = start();
    while !fixture.path("kept/facts/version").exists() && killed.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let others = [(); 2].map(|()| start());
    killed.kill().unwrap();
    killed.wait().unwrap();
    for mut other in others {
        assert!(other.wait().unwrap().success());
    }
    fixture.check("cache verify --cache=kept", 0, &["all intact"]);
    assert!(start().wait().unwrap().success());
}
