//! What a store promises, whatever happens to its directory.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

use super::*;

/// More than any test writes.
const CAP: Bytes = Bytes::mib(100);

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

impl Store {
    /// The store is deleted when it is dropped.
    pub(in crate::cache) fn scratch() -> Self {
        let dir = dir();
        let mut store = open(dir.path());
        store.scratch = Some(dir);
        store
    }
}

fn open(dir: &Path) -> Store {
    Store::open(dir, CAP).unwrap()
}

fn key(number: u64) -> Digest {
    Blob::from(number.to_le_bytes().to_vec()).digest().unwrap()
}

/// Each key has its own record in these tests.
fn bytes(number: u64) -> Vec<u8> {
    format!("record {number} ").repeat(1 + number as usize % 50).into_bytes()
}

fn small_blob() -> Blob {
    b"a small blob".to_vec().into()
}

fn large_blob() -> Blob {
    vec![7; SMALL as usize + 1].into()
}

fn fill(dir: &Path) {
    let store = open(dir);
    (0..3).for_each(|number| store.put(&key(number), &bytes(number)));
    assert!(store.keep(&small_blob()) && store.keep(&large_blob()));
}

fn read_blob(store: &Store, blob: &Blob) -> Option<bool> {
    let found = store.blob(&blob.digest().unwrap())?;
    Some(found.prefix(u64::MAX).unwrap() == blob.prefix(u64::MAX).unwrap())
}

/// Counts the entries of [`fill`] that are there. None may be wrong.
fn count_right(store: &Store, note: &str) -> usize {
    let records = (0..3).filter(|&number| match store.get(&key(number)) {
        Some(record) => {
            assert_eq!(record.bytes, bytes(number), "{note}");
            let age = record.created.elapsed().unwrap_or_default();
            assert!(age < Duration::from_secs(600), "{note}: {age:?} old");
            true
        }
        None => false,
    });
    let blobs = [small_blob(), large_blob()];
    let blobs = blobs.iter().filter_map(|blob| read_blob(store, blob));
    records.count() + blobs.inspect(|is_right| assert!(is_right, "{note}")).count()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter().map(Result::unwrap);
    all.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

fn count(dir: &Path, ending: &str) -> usize {
    files(dir).iter().filter(|path| path.to_str().unwrap().ends_with(ending)).count()
}

fn the_only(dir: &Path, ending: &str) -> PathBuf {
    assert_eq!(count(dir, ending), 1);
    files(dir).into_iter().find(|path| path.to_str().unwrap().ends_with(ending)).unwrap()
}

#[test]
fn kept_entries_are_there_after_reopening() {
    let dir = dir();
    assert_eq!(count_right(&open(dir.path()), "empty"), 0);
    fill(dir.path());
    let store = open(dir.path());
    assert_eq!(count_right(&store, "whole"), 5);
    assert!(store.keep(&small_blob()) && store.keep(&large_blob()));
    let stat = store.stat().unwrap();
    assert_eq!((stat.results, stat.large_files), (4, 1));
    assert!(stat.size > Bytes(SMALL) && stat.oldest_use_days.is_some());
    assert_eq!(store.verify().unwrap(), VerifyResult { whole: 5, damaged: 0 });
    assert_eq!(store.warnings(), []);
}

#[test]
fn a_new_entry_can_be_read_at_once() {
    let store = Store::scratch();
    assert_eq!(count_right(&store, "empty"), 0);
    (0..3).for_each(|number| store.put(&key(number), &bytes(number)));
    assert!(store.keep(&small_blob()) && store.keep(&large_blob()));
    assert_eq!(count_right(&store, "kept"), 5);
    store.put(&key(0), b"other");
    assert_eq!(store.get(&key(0)).unwrap().bytes, b"other");
}

#[test]
fn the_last_record_of_a_key_counts() {
    let dir = dir();
    let [first, second] = [(); 2].map(|()| open(dir.path()));
    first.put(&key(1), b"first");
    second.put(&key(1), b"second");
    assert_eq!(first.get(&key(1)).unwrap().bytes, b"first");
    drop(first);
    drop(second);
    let found = open(dir.path()).get(&key(1)).unwrap().bytes;
    assert!(found == b"first" || found == b"second", "perhaps in the same millisecond");
    let third = open(dir.path());
    third.put(&key(1), b"third");
    drop(third);
    assert_eq!(open(dir.path()).get(&key(1)).unwrap().bytes, b"third");
}

#[test]
fn a_blob_is_no_record() {
    let store = Store::scratch();
    let blob = small_blob();
    store.keep(&blob);
    assert_eq!(store.get(&blob.digest().unwrap()), None);
    store.put(&key(1), b"text");
    assert_eq!(store.blob(&key(1)), None);
}

/// A store with these files never gives a wrong answer, and can keep everything again.
fn check_damage(files: &[(PathBuf, Vec<u8>)], note: &str) {
    let dir = dir();
    for (path, bytes) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let store = match Store::open(dir.path(), CAP) {
        Ok(store) => store,
        Err(refused) => return assert!(refused.message.contains("newer"), "{note}: {refused:?}"),
    };
    count_right(&store, note);
    (0..3).for_each(|number| store.put(&key(number), &bytes(number)));
    assert!(store.keep(&small_blob()) && store.keep(&large_blob()), "{note}");
    // Keeping an entry does not read it, so reading must find the damage first.
    count_right(&store, note);
    assert!(store.keep(&small_blob()) && store.keep(&large_blob()), "{note}");
    assert_eq!(count_right(&store, note), 5, "{note}");
    drop(store);
    assert_eq!(count_right(&open(dir.path()), note), 5, "{note}: the next time");
}

/// The files of a store after [`fill`], with their paths.
fn filled() -> Vec<(PathBuf, Vec<u8>)> {
    let dir = dir();
    fill(dir.path());
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        (path.strip_prefix(dir.path()).unwrap().to_owned(), bytes)
    };
    files(dir.path()).into_iter().map(read).collect()
}

#[test]
fn a_flipped_bit_anywhere_never_gives_a_wrong_answer() {
    let whole = filled();
    check_damage(&whole, "whole");
    for (file, (path, bytes)) in whole.iter().enumerate() {
        // Each byte of small files, some bytes of large ones.
        for index in (0..bytes.len()).step_by(1 + bytes.len() / 200) {
            let mut damaged = whole.clone();
            damaged[file].1[index] ^= 1 << (index % 8);
            check_damage(&damaged, &format!("byte {index} of {}", path.display()));
        }
    }
}

#[test]
fn a_truncated_file_never_gives_a_wrong_answer() {
    let whole = filled();
    for (file, (path, bytes)) in whole.iter().enumerate() {
        for length in (0..bytes.len()).step_by(1 + bytes.len() / 20) {
            let mut torn = whole.clone();
            torn[file].1.truncate(length);
            check_damage(&torn, &format!("{length} bytes of {}", path.display()));
        }
        let mut others = whole.clone();
        others.remove(file);
        check_damage(&others, &format!("without {}", path.display()));
    }
}

#[test]
fn verification_removes_damaged_entries() {
    let dir = dir();
    fill(dir.path());
    for ending in [".data", &blob_file(&large_blob())] {
        let path = the_only(dir.path(), ending);
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(path, bytes).unwrap();
    }
    assert_eq!(open(dir.path()).verify().unwrap(), VerifyResult { whole: 3, damaged: 2 });
    assert_eq!(open(dir.path()).verify().unwrap(), VerifyResult { whole: 3, damaged: 0 });
    assert_eq!(count_right(&open(dir.path()), "thrown away"), 3);
}

fn blob_file(blob: &Blob) -> String {
    directory::blob_name(&blob.digest().unwrap())
}

#[test]
fn concurrent_writers_have_separate_segments() {
    let dir = dir();
    let stores = [(); 3].map(|()| open(dir.path()));
    for (number, store) in (0..).zip(&stores) {
        store.put(&key(number), &bytes(number));
    }
    assert!(stores[0].keep(&small_blob()) && stores[1].keep(&large_blob()));
    drop(stores);
    assert_eq!(count(dir.path(), ".data"), 3);
    assert_eq!(count_right(&open(dir.path()), "of three"), 5);
    // Segments with room are reused.
    for number in 3..9 {
        open(dir.path()).put(&key(number), &bytes(number));
    }
    assert_eq!(count(dir.path(), ".data"), 3);
    assert_eq!(count_right(&open(dir.path()), "later"), 5);
}

#[test]
fn a_full_segment_gets_no_more() {
    let dir = dir();
    let store = open(dir.path());
    let large = vec![1; segment::FULL as usize];
    (0..3).for_each(|number| store.put(&key(number), &large));
    store.put(&key(3), &[&large[..], b"more"].concat());
    drop(store);
    assert_eq!(count(dir.path(), ".data"), 3);
    let store = open(dir.path());
    assert!((0..3).all(|number| store.get(&key(number)).is_some_and(|kept| kept.bytes == large)));
    assert_eq!(store.get(&key(3)), None, "more than is kept");
}

#[test]
fn pruning_leaves_files_that_others_read_or_write() {
    let dir = dir();
    fill(dir.path());
    let reader = open(dir.path());
    let blob = reader.blob(&large_blob().digest().unwrap()).unwrap();
    let left = dir.path().join("facts/blobs/0123.new");
    fs::write(&left, "left by a process that was killed").unwrap();

    assert!(open(dir.path()).prune(Bytes(0)).unwrap().removed > Bytes(SMALL));
    assert_eq!(files(dir.path()).len(), 1, "the version");
    assert_eq!(blob.prefix(u64::MAX).unwrap(), large_blob().prefix(u64::MAX).unwrap());
    assert_eq!(count_right(&reader, "removed beside"), 4, "all but the large blob");
    assert_eq!(count_right(&open(dir.path()), "pruned"), 0);

    let writer = open(dir.path());
    (0..3).for_each(|number| writer.put(&key(number), &bytes(number)));
    assert_eq!(open(dir.path()).prune(Bytes(0)).unwrap().removed, Bytes(0));
    assert!(writer.keep(&small_blob()) && writer.keep(&large_blob()));
    drop(writer);
    assert_eq!(count_right(&open(dir.path()), "written beside"), 5);
}

#[test]
fn recently_used_entries_stay() {
    const DAY: u64 = 24 * 3600;
    let check = |used: u64, expected: [bool; 2]| {
        let dir = dir();
        // Each record fills a segment.
        for (number, days) in [(0, 10), (1, 5)] {
            open(dir.path()).put(&key(number), &vec![7; segment::FULL as usize]);
            age(dir.path(), &key(number), days * DAY);
        }
        let created = open(dir.path()).get(&key(used)).unwrap().created;
        let store = open(dir.path());
        assert_eq!(store.get(&key(used)).unwrap().created, created, "it keeps its date");
        drop(store);
        let store = open(dir.path());
        store.prune(Bytes::mib(20)).unwrap();
        drop(store);
        let found = [0, 1].map(|number| open(dir.path()).get(&key(number)).is_some());
        assert_eq!(found, expected, "used: {used}");
    };
    check(0, [true, false]);
    check(1, [false, true]);
}

/// Makes a record and its segment older.
fn age(dir: &Path, key: &Digest, seconds: u64) {
    for path in files(dir).into_iter().filter(|path| path.to_str().unwrap().ends_with(".index")) {
        let mut index = fs::read(&path).unwrap();
        if index[..16] != EntryKind::Record.name(key) {
            continue;
        }
        let stamp = u64::from_le_bytes(index[24..32].try_into().unwrap()) - seconds * 1000;
        index[24..32].copy_from_slice(&stamp.to_le_bytes());
        fs::write(&path, index).unwrap();
        let then = SystemTime::now() - Duration::from_secs(seconds);
        for path in [path.clone(), path.with_extension("data")] {
            fs::File::open(path).unwrap().set_modified(then).unwrap();
        }
    }
}

#[test]
fn a_store_prunes_itself_when_it_is_too_large() {
    let dir = dir();
    let cap = Bytes::kib(400);
    for number in 0..20 {
        let store = Store::open(dir.path(), cap).unwrap();
        assert!(store.keep(&vec![number; 100 << 10].into()));
        drop(store);
        assert!(open(dir.path()).stat().unwrap().size <= cap);
    }
    assert!(open(dir.path()).blob(&Blob::from(vec![19; 100 << 10]).digest().unwrap()).is_some());
    assert!(open(dir.path()).blob(&Blob::from(vec![0; 100 << 10]).digest().unwrap()).is_none());
}

#[test]
fn a_directory_that_others_can_write_is_refused() {
    let check = |prepare: &dyn Fn(&Path), expected: Option<&str>| {
        let top = dir();
        let path = top.path().join("cache");
        prepare(&path);
        let message = Store::open(&path, CAP).err().map(|refused| {
            assert!(refused.help.is_some());
            refused.message
        });
        match (&message, expected) {
            (None, None) => {}
            (Some(message), Some(expected)) => assert!(message.ends_with(expected), "{message}"),
            _ => panic!("{message:?}, not {expected:?}"),
        }
    };
    let is_root = rustix::process::geteuid().is_root();
    let make = |path: &Path, mode| {
        fs::create_dir(path).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let other = |path: &Path| std::os::unix::fs::lchown(path, Some(12345), None).unwrap();
    check(&|_| {}, None);
    check(&|path| make(path, 0o755), None);
    check(&|path| make(path, 0o775), Some("other users can write to it"));
    check(&|path| make(path, 0o777), Some("other users can write to it"));
    check(&|path| fs::write(path, "").unwrap(), Some("File exists (os error 17)"));
    check(&|path| symlink(path.parent().unwrap(), path).unwrap(), None);
    check(
        &|path| symlink("/tmp", path).unwrap(),
        Some(if is_root { "other users can write to it" } else { "it belongs to another user" }),
    );
    check(
        &|path| {
            make(path, 0o700);
            symlink("/etc", path.join("facts")).unwrap();
        },
        Some("Not a directory (os error 20)"),
    );
    check(
        &|path| {
            fill(path);
            fs::write(path.join("facts/version"), "2\n").unwrap();
        },
        Some("a newer juror made it (version 2, this one knows 1)"),
    );
    check(
        &|path| {
            make(path, 0o700);
            make(&path.join("facts"), 0o700);
            fs::write(path.join("facts/moon.txt"), "made of cheese").unwrap();
        },
        Some("its directory `facts` has files that juror did not make"),
    );
    if is_root {
        check(
            &|path| {
                make(path, 0o700);
                other(path);
            },
            Some("it belongs to another user"),
        );
        check(
            &|path| {
                symlink(path.parent().unwrap(), path).unwrap();
                other(path);
            },
            Some("it is a symbolic link of another user"),
        );
    }
}

#[test]
fn entries_of_an_older_version_are_removed() {
    for version in [Some(&b"0"[..]), Some(b"what"), Some(b"\xff"), Some(b""), None] {
        let dir = dir();
        fill(dir.path());
        let path = dir.path().join("facts/version");
        match version {
            Some(version) => fs::write(path, version).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        assert_eq!(count_right(&open(dir.path()), "older"), 0, "{version:?}");
        assert_eq!(files(dir.path()).len(), 1, "{version:?}");
        fill(dir.path());
        assert_eq!(count_right(&open(dir.path()), "anew"), 5, "{version:?}");
    }
}

#[test]
fn a_write_failure_is_reported_once() {
    let dir = dir();
    fill(dir.path());
    let store = open(dir.path());
    // Now not even the superuser can make a segment or a blob.
    fs::remove_dir_all(dir.path().join("facts")).unwrap();
    store.put(&key(5), b"text");
    assert!(!store.keep(&vec![9; 100_000].into()));
    assert!(!store.keep(&vec![9; 100].into()));
    let warnings = store.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].message.starts_with("the cache cannot be written"), "{warnings:?}");
    assert_eq!(store.warnings(), []);
    assert_eq!(count_right(&store, "only read"), 4);
}

#[cfg(target_os = "linux")]
#[test]
fn network_disks_are_known() {
    assert_eq!(directory::network_file_system_of(0x6969), Some("NFS"));
    assert_eq!(directory::network_file_system_of(0xef53), None);
}

#[test]
fn killed_processes_leave_only_intact_entries() {
    let dir = dir();
    let children = [(); 2].map(|()| child(dir.path()));
    for mut child in children {
        // Wait until it has written something.
        while files(dir.path()).iter().all(|path| fs::metadata(path).unwrap().len() < 20_000) {
            thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let store = open(dir.path());
    let found = (0..1_000_000).take_while(|&number| match store.get(&key(number)) {
        Some(record) => record.bytes == bytes(number),
        None => false,
    });
    assert!(found.count() > 10);
    assert_eq!(store.verify().unwrap().damaged, 0);
    fill(dir.path());
    assert_eq!(count_right(&open(dir.path()), "after that"), 5);
}

fn child(dir: &Path) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    let test = concat!(module_path!(), "::a_process_that_never_ends");
    let test = test.split_once("::").unwrap().1;
    command.args([test, "--exact", "--ignored"]).env("STORE", dir);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
#[ignore = "run by killed_processes_leave_only_what_is_whole"]
fn a_process_that_never_ends() {
    let Some(dir) = env::var_os("STORE") else { return };
    let store = open(Path::new(&dir));
    for number in 0.. {
        store.put(&key(number), &bytes(number));
    }
}
