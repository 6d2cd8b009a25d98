//! Packages in archives, wherever a command takes a package.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::fixture::{Fixture, RIGHT};

/// The package `sum` and three archives of it: `sum.zip`, `flat.kpp` without a top directory, and `sum.tar.gz`.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    write_zip(&fixture.path("sum.zip"), &fixture.path("sum"), "sum/");
    write_zip(&fixture.path("flat.kpp"), &fixture.path("sum"), "");
    let gz = GzEncoder::new(
        File::create(fixture.path("sum.tar.gz")).expect("a file"),
        Compression::fast(),
    );
    let mut tar = tar::Builder::new(gz);
    tar.append_dir_all("sum", fixture.path("sum")).expect("an archive");
    tar.into_inner().and_then(GzEncoder::finish).expect("an archive");
    fs::remove_dir_all(fixture.path("sum")).expect("the package is gone");
    fixture.write("a.sh", RIGHT);
    fixture.write("tmp/none", "");
    fixture
}

fn write_zip(archive: &Path, dir: &Path, top: &str) {
    use std::os::unix::fs::PermissionsExt;
    let mut zip = ZipWriter::new(File::create(archive).expect("a file"));
    for entry in walkdir::WalkDir::new(dir).min_depth(1) {
        let entry = entry.expect("an entry");
        let name = entry.path().strip_prefix(dir).expect("inside").to_str().expect("UTF-8");
        if !entry.file_type().is_file() {
            continue;
        }
        let mode = entry.metadata().expect("an entry").permissions().mode();
        let options = SimpleFileOptions::default().unix_permissions(mode);
        zip.start_file(format!("{top}{name}"), options).expect("a file");
        let mut file = File::open(entry.path()).expect("a file");
        io::copy(&mut file, &mut zip).expect("contents");
    }
    zip.finish().expect("an archive");
}

#[test]
fn an_archive_works_wherever_a_package_does() {
    let fixture = fixture();
    let check = |arguments: &str, code: i32, messages: &[&str]| {
        let mut command = fixture.juror(arguments);
        let output = command.env("TMPDIR", fixture.path("tmp")).output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "juror {arguments}:\n{text}");
        for piece in messages {
            assert!(text.contains(piece), "juror {arguments} lacks `{piece}`:\n{text}");
        }
        // The temporary directory is not named, and is removed.
        assert!(!text.contains("juror-package-"), "juror {arguments}:\n{text}");
        let files_left = fs::read_dir(fixture.path("tmp")).expect("a directory").count();
        assert_eq!(files_left, 1, "juror {arguments} left something behind");
    };
    for name in ["sum.zip", "flat.kpp", "sum.tar.gz"] {
        check(&format!("judge {name} a.sh"), 0, &["accepted on 4 test cases"]);
        check(&format!("verify {name}"), 0, &["all as expected"]);
        let again = format!("juror judge {name} wrong_answer/wrong.sh --case secret/large/1");
        check(&format!("judge {name} wrong_answer/wrong.sh"), 1, &[&again]);
        check(&again["juror ".len()..], 1, &["WA"]);
        let no_recipe = format!("{name}/generators");
        check(&format!("generate {name} --check"), 3, &[&no_recipe]);
        let closed = format!("{name} is an archive, which juror does not change; unpack it first");
        check(&format!("generate {name}"), 2, &[&closed]);
        check(&format!("generate {name} --from-grammar"), 2, &[&closed]);
        let promote = format!("stress {name} a.sh --promote x");
        check(&promote, 2, &[&closed]);
    }
    check("verify sum.zip flat.kpp", 0, &["flat"]);
    let whole = fs::read(fixture.path("sum.zip")).expect("an archive");
    fixture.write("cut.zip", &whole[..whole.len() / 2]);
    check("judge cut.zip a.sh", 3, &["cut.zip", "cannot be read: "]);
    check("verify cut.zip sum.zip", 3, &["cut.zip", "all as expected"]);
}

#[test]
fn faults_in_an_archive_have_paths_below_the_archive() {
    let fixture = fixture();
    fixture.write("bad/problem.yaml", "name: 1\nproblem_format_version: 2025-09\n");
    fixture.write("bad/data/secret/1.in", "1\n");
    write_zip(&fixture.path("bad.zip"), &fixture.path("bad"), "bad/");
    fixture.check("verify bad.zip", 3, &["bad.zip/problem.yaml", "bad.zip/data/secret/1.in"]);
    let report = fixture.json("verify sum.zip", 0);
    assert_eq!(report["packages"][0]["name"], "sum");
    assert_eq!(report["packages"][0]["path"], "sum.zip");
}
