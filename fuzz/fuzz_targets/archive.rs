//! An archive is unpacked within bounds, and nothing leads out of its directory.
#![no_main]

use std::fs;
use std::path::Path;

use juror_packages::package::archive::target::UnpackBounds;
use juror_packages::package::archive::unpack_within;
use libfuzzer_sys::fuzz_target;

const BOUNDS: UnpackBounds = UnpackBounds { bytes: 1 << 20, entries: 100 };

fuzz_target!(|bytes: &[u8]| {
    let dir = tempfile::tempdir().expect("a directory");
    let (archive, into) = (dir.path().join("package.zip"), dir.path().join("into"));
    fs::write(&archive, bytes).expect("a file");
    fs::create_dir(&into).expect("a directory");
    let unpacked = unpack_within(&archive, &into, &mut BOUNDS.clone());
    assert_eq!(fs::read_dir(dir.path()).expect("a directory").count(), 2, "files outside");
    let mut written = (0, 0);
    count(&into, &mut written);
    assert!(written.0 <= BOUNDS.bytes && written.1 <= BOUNDS.entries + 1, "{written:?}");
    if let Ok(package) = unpacked {
        assert!(package.starts_with(&into), "{}", package.display());
        leads_inside(&package, &into.canonicalize().expect("a directory"));
    }
});

/// The bytes and the entries below a directory.
fn count(dir: &Path, sum: &mut (u64, usize)) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let entry = entry.expect("an entry");
        let metadata = entry.path().symlink_metadata().expect("an entry");
        sum.1 += 1;
        if metadata.is_file() {
            sum.0 += metadata.len();
        } else if metadata.is_dir() {
            count(&entry.path(), sum);
        }
    }
}

fn leads_inside(dir: &Path, root: &Path) {
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        let real = path.canonicalize().expect("a link to an entry");
        assert!(real.starts_with(root), "{} leads to {}", path.display(), real.display());
        if path.is_dir() && !path.is_symlink() {
            leads_inside(&path, root);
        }
    }
}
