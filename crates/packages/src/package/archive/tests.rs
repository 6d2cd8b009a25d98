//! Archives in the forms that packages come in, and harmful ones.

use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::slice::from_ref;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use juror_core::stop::{StopFlag, with_stop_flags};

use super::*;

const SMALL: UnpackBounds = UnpackBounds { bytes: 100_000, entries: 20 };

/// An entry of an archive: `NAME`, `NAME/`, `NAME!` for an executable one, `NAME -> TARGET`, `NAME = ORIGINAL` for a
/// second name, `NAME | ` for a pipe, `NAME * SIZE` for zeros.
fn tar_of(entries: &[&str]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = Header::new_gnu();
        let mut contents = b"1\n".to_vec();
        let (name, kind, link) = if let Some((name, to)) = entry.split_once(" -> ") {
            (name, EntryType::Symlink, to)
        } else if let Some((name, of)) = entry.split_once(" = ") {
            (name, EntryType::Link, of)
        } else if let Some(name) = entry.strip_suffix(" |") {
            (name, EntryType::Fifo, "")
        } else if let Some((name, size)) = entry.split_once(" * ") {
            contents = vec![0; size.parse().expect("a size")];
            (name, EntryType::Regular, "")
        } else if entry.ends_with('/') {
            (*entry, EntryType::Directory, "")
        } else {
            (*entry, EntryType::Regular, "")
        };
        if kind != EntryType::Regular {
            contents.clear();
        }
        header.set_mode(if name.ends_with('!') { 0o755 } else { 0o644 });
        header.set_entry_type(kind);
        header.set_size(contents.len() as u64);
        // The crate would refuse to write such an entry.
        let name = name.trim_end_matches('!');
        let raw = header.as_gnu_mut().expect("a header");
        raw.name[..name.len()].copy_from_slice(name.as_bytes());
        raw.linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_cksum();
        tar.append(&header, &contents[..]).expect("an entry");
    }
    tar.into_inner().expect("an archive")
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("compressed");
    out.finish().expect("compressed")
}

/// The same entries as a zip archive, without those that only tar has.
fn zip_of(entries: &[&str]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for entry in entries {
        if let Some((name, to)) = entry.split_once(" -> ") {
            zip.add_symlink(name, to, options).expect("a link");
        } else if entry.ends_with('/') {
            zip.add_directory(*entry, options).expect("a directory");
        } else {
            let (name, size) = entry.split_once(" * ").unwrap_or((entry, "2"));
            let mode = if name.ends_with('!') { 0o755 } else { 0o644 };
            zip.start_file(name.trim_end_matches('!'), options.unix_permissions(mode))
                .expect("a file");
            zip.write_all(&vec![b'1'; size.parse().expect("a size")]).expect("contents");
        }
    }
    zip.finish().expect("an archive").into_inner()
}

/// Unpacks an archive of this name. Asserts that nothing is written next to its directory.
fn unpack_and_list(name: &str, bytes: &[u8]) -> Result<String, String> {
    let keep = TempDir::new().expect("a temporary directory");
    let archive = keep.path().join(name);
    fs::write(&archive, bytes).expect("an archive");
    let into = keep.path().join("into");
    fs::create_dir(&into).expect("a directory");
    let done = unpack_within(&archive, &into, &mut SMALL.clone());
    let entries = fs::read_dir(keep.path()).expect("a directory").count();
    assert_eq!(entries, 2, "{name}: something was written outside");
    done.map(|dir| {
        let dir = dir.canonicalize().expect("a directory");
        let into = into.canonicalize().expect("a directory");
        let mut found = format!("{}:", dir.strip_prefix(&into).expect("inside").display());
        list(&dir, &dir, &mut found);
        found
    })
    .map_err(|refusal| format!("{}; {}", refusal.message, refusal.help.unwrap_or_default()))
}

fn list(root: &Path, dir: &Path, found: &mut String) {
    let entries =
        fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    for path in entries {
        let metadata = path.symlink_metadata().expect("an entry");
        let name = path.strip_prefix(root).expect("inside").display();
        let executable = metadata.permissions().mode() & 0o111 != 0;
        match (metadata.is_dir(), fs::read_link(&path)) {
            (true, _) => list(root, &path, found),
            (_, Ok(to)) => write!(found, " {name}->{}", to.display()).expect("a text"),
            (..) => {
                write!(found, " {name}{}", if executable { "!" } else { "" }).expect("a text");
            }
        }
    }
}

#[test]
fn a_package_is_unpacked_as_it_is() {
    let check = |entries: &[&str], expected: &str| {
        let tar = tar_of(entries);
        for (name, bytes) in
            [("sum.tar", tar.clone()), ("sum.tar.gz", compress(&tar)), ("sum.tgz", compress(&tar))]
        {
            assert_eq!(unpack_and_list(name, &bytes).as_deref(), Ok(expected), "{name}");
        }
        if entries.iter().all(|entry| !entry.contains(" = ")) {
            for name in ["sum.zip", "sum.kpp"] {
                assert_eq!(
                    unpack_and_list(name, &zip_of(entries)).as_deref(),
                    Ok(expected),
                    "{name}"
                );
            }
        }
    };
    check(&["problem.yaml", "data/secret/1.in"], "sum: data/secret/1.in problem.yaml");
    check(&["plus/", "plus/problem.yaml", "plus/v/run!"], "sum/plus: problem.yaml v/run!");
    // Files that systems add are ignored.
    check(&["plus/a", "__MACOSX/plus/._a", ".DS_Store"], "sum/plus: a");
    check(&["plus/a", "Thumbs.db"], "sum/plus: a");
    check(&["plus/plus/a"], "sum/plus/plus: a");
    // So are texts next to a package.
    let inside = "sum/plus: data/a problem.yaml";
    for text in ["README", "README.md", "readme.txt", "LICENSE", "Licence.txt"] {
        check(&["plus/problem.yaml", "plus/data/a", text], inside);
    }
    check(&["plus/problem.yaml", "plus/data/a", "README.md", "LICENSE", ".gitignore"], inside);
    check(&["plus/a", "README.md"], "sum: README.md plus/a");
    check(&["plus/problem.yaml", "notes.txt"], "sum: notes.txt plus/problem.yaml");
    check(&["plus/problem.yaml", "more/b", "README.md"], "sum: README.md more/b plus/problem.yaml");
    check(&["1.in", "1.ans", "README.md"], "sum: 1.ans 1.in README.md");
    check(&["plus/tests/1.in", "plus/tests/1.ans"], "sum/plus: tests/1.ans tests/1.in");
    check(&["./", "./plus/", "./plus//a"], "sum/plus: a");
    check(&["a", "b -> a", "c/d -> ../a"], "sum: a b->a c/d->../a");
    check(&["a!", "b = a"], "sum: a! b!");
    check(&["v/build!", "v/run -> validate"], "sum/v: build! run->validate");
    check(&["a b", "ü"], "sum: a b ü");
    assert_eq!(unpack_and_list("sum.zip", &zip_of(&[])).as_deref(), Ok("sum:"));
    assert_eq!(unpack_and_list("my.sum-1.zip", &zip_of(&["a"])).as_deref(), Ok("my.sum-1: a"));
    assert_eq!(unpack_and_list(".zip", &zip_of(&["a"])).as_deref(), Ok("package: a"));
}

#[test]
fn a_hostile_archive_is_refused_and_writes_nowhere_else() {
    let refused = |name: &str, bytes: &[u8], message: &str| {
        let found = unpack_and_list(name, bytes).expect_err("a refusal");
        assert!(found.starts_with(message), "{name}: {found}");
        assert!(!found.ends_with("; "), "{name}: {found} has no way out");
    };
    let check = |entries: &[&str], message: &str| {
        refused("a.tar", &tar_of(entries), message);
        refused("a.tgz", &compress(&tar_of(entries)), message);
        let is_for_both = |entry: &&str| !entry.contains(" = ") && !entry.contains(" |");
        if entries.iter().all(is_for_both) {
            refused("a.zip", &zip_of(entries), message);
        }
    };
    let outside =
        |name: &str| format!("has a file `{name}`, which is outside of the package; unpack it");
    for name in ["../a", "a/../../b", "/etc/a", "..", "a\\..\\b"] {
        check(&[name], &outside(&name.escape_debug().to_string()));
    }
    for name in ["a\\b", "data\\secret\\1.in", "\\a", "C:\\a", "a\\"] {
        let name = name.to_owned();
        let message =
            format!("has a file `{}`, whose name has a backslash; pack", name.escape_debug());
        check(&[&name], &message);
    }
    check(&["../a -> b"], &outside("../a"));
    check(&["../a/"], &outside("../a/"));
    let link = |name: &str, to: &str| {
        format!("has a link `{name}` to `{to}`, which is not in the archive; pack")
    };
    check(&["a -> /etc/passwd"], &link("a", "/etc/passwd"));
    check(&["a -> .."], &link("a", ".."));
    check(&["a -> ../../b"], &link("a", "../../b"));
    check(&["a -> nowhere"], &link("a", "nowhere"));
    check(&["a -> a"], &link("a", "a"));
    check(&["x/y/l -> ..", "n -> x/y/l/../.."], &link("n", "x/y/l/../.."));
    check(&["b = a"], &link("b", "a"));
    check(&["b = ../a.tar"], &outside("../a.tar"));
    check(&["l -> x", "x/a", "m = l/a"], &link("m", "l/a"));
    // Nothing is written through a link.
    check(&["x/", "l -> x", "l/a"], "has `l` twice; pack");
    refused("a.tar", &tar_of(&["l -> x", "x/", "l"]), "has `l` twice; pack");
    refused("a.tar", &tar_of(&["a", "a"]), "has `a` twice; pack");
    check(&["a", "a/b"], "has `a/b` twice; pack");
    check(&["a |"], "has `a`, which is neither a file nor a directory; pack");
    let long = "x".repeat(99);
    let names: Vec<String> =
        (0..21).map(|number| format!("{number}/{long}")[..90].to_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check(&names, "is too large: it has more than 20 files and directories; unpack it");
    // A short entry can make many directories.
    let deep = "d/".repeat(20) + "x";
    check(&[&deep], "is too large: it has more than 20 files and directories; unpack it");
    let deep = "d/".repeat(101);
    let message = "is too large: it has more than 100 directories in each other; unpack it";
    refused("a.zip", &zip_of(&[&deep]), message);
    let target = "x".repeat(5000);
    let message = format!("has a link `a` to `{target}`, which is not in the archive; pack");
    refused("a.zip", &zip_of(&[&format!("a -> {target}")]), &message);
}

#[test]
fn a_bomb_is_refused_before_it_fills_the_disk() {
    let check = |name: &str, bytes: &[u8]| {
        let found = unpack_and_list(name, bytes).expect_err("a refusal");
        assert!(found.starts_with("is too large: it has more than 97.7 KiB; unpack it"), "{found}");
    };
    let large = ["a * 60000", "b * 60000"];
    check("a.zip", &zip_of(&large));
    check("a.tgz", &compress(&tar_of(&large)));
    // The archive declares a small size.
    let mut bytes = zip_of(&["a * 600000"]);
    let size = 600_000_u32.to_le_bytes();
    while let Some(index) = bytes.windows(4).position(|window| window == size) {
        bytes[index..index + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let found = unpack_and_list("a.zip", &bytes).expect_err("a refusal");
    assert!(found.contains("is too large") || found.contains("cannot be read"), "{found}");
    // What a tar archive has before a file is kept in memory, so it must be bounded.
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::GNULongName);
    header.set_size(3 << 20);
    header.set_cksum();
    tar.append(&header, &vec![b'x'; 3 << 20][..]).expect("an entry");
    let bytes = compress(&tar.into_inner().expect("an archive"));
    let found = unpack_and_list("a.tgz", &bytes).expect_err("a refusal");
    assert_eq!(found, "cannot be read: the name of a file is too long; pack it again");
}

#[test]
fn a_stop_flag_ends_the_unpacking() {
    let keep = TempDir::new().expect("a temporary directory");
    let mut flag = StopFlag::default();
    for (name, bytes) in [
        ("a.zip", zip_of(&["sum/a", "sum/b"])),
        ("a.tar", tar_of(&["sum/a", "sum/b"])),
        ("a.tgz", compress(&tar_of(&["sum/a", "sum/b"]))),
    ] {
        let archive = keep.path().join(name);
        fs::write(&archive, bytes).expect("an archive");
        let unpack_with = |flag: &StopFlag| {
            let into = TempDir::new().expect("a temporary directory");
            with_stop_flags(from_ref(flag), || unpack(&archive, into.path())).map(drop)
        };
        assert_eq!(unpack_with(&flag), Ok(()), "{name}");
        flag.set();
        assert_eq!(unpack_with(&flag), Err(Stop::Interrupted), "{name}");
        flag = StopFlag::default();
    }
}

#[test]
fn a_damaged_archive_is_reported() {
    let check = |name: &str, bytes: &[u8]| {
        let found = unpack_and_list(name, bytes).expect_err("a refusal");
        assert!(found.starts_with("cannot be read: "), "{found}");
        assert!(found.ends_with("; pack it again"), "{found}");
    };
    let entries = ["a * 9000", "b * 9000"];
    let (zip, tar) = (zip_of(&entries), tar_of(&entries));
    let gz = compress(&tar);
    check("a.zip", &zip[..zip.len() / 2]);
    check("a.tar", &tar[..tar.len() / 2]);
    check("a.tgz", &gz[..gz.len() / 2]);
    let mut changed = gz.clone();
    let index = changed.len() - 6;
    changed[index] ^= 1;
    check("a.tgz", &changed);
    let mut changed = zip.clone();
    changed[40] ^= 1;
    check("a.zip", &changed);
    let zip_in_it = unpack_and_list("a.zip.gz", &compress(&zip)).expect_err("a refusal");
    assert_eq!(
        zip_in_it,
        "cannot be read: the compressed data is not a tar archive; pack it again"
    );
    check("a.tgz", &compress(b"no archive is so short, and this is none at all"));
    check("a.txt", b"nothing of the kind");
}

/// Whatever bytes an archive has, it is unpacked or refused.
#[test]
fn mutated_archives_do_no_harm() {
    let entries = ["a * 300", "b/c!", "d -> a", "e/"];
    let tar = tar_of(&entries);
    let archives = [("a.zip", zip_of(&entries)), ("a.tgz", compress(&tar)), ("a.tar", tar)];
    for (name, bytes) in archives {
        for index in (0..bytes.len()).step_by(7) {
            for value in [0, 0x2e, 0x2f, 0xff] {
                let mut changed = bytes.clone();
                changed[index] = value;
                // `unpack_and_list` asserts that nothing is written elsewhere.
                drop(unpack_and_list(name, &changed));
            }
        }
    }
}
