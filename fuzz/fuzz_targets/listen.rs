//! What any program on the machine can send to `juror listen`: read alike in whatever pieces it comes, and written in
//! one directory.
#![no_main]

use std::collections::BTreeSet;
use std::io::{self, Read};

use juror_core::file_name::name_fault;
use juror_packages::package::companion::request::read_request;
use juror_packages::package::companion::CompanionProblem;
use juror_packages::package::companion::folder::{changed_folder, new_folder, received_url};
use juror_packages::package::companion::name::directory_name;
use libfuzzer_sys::fuzz_target;

/// Gives at most this many bytes at once.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(into.len());
        self.0.read(&mut into[..most])
    }
}

fn document(bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let read = read_request(&mut Pieces(bytes, most), || Ok(()));
    read.map(Option::unwrap_or_default).map_err(|refusal| refusal.message)
}

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else { return };
    let read = document(bytes, usize::MAX);
    assert_eq!(document(bytes, usize::from(*first) + 1), read);
    for json in [bytes, read.as_deref().unwrap_or_default()] {
        let Ok(problem) = CompanionProblem::parse(json) else { continue };
        if let Some(name) = directory_name(&problem.name) {
            assert!(name.len() <= 100 && name_fault(&name).is_none() && !name.contains('/'));
        }
        let files = new_folder(&problem);
        let settings = String::from_utf8(files[0].text.clone()).expect("a text");
        assert_eq!(received_url(&settings).as_deref(), Some(&*problem.url));
        let names: BTreeSet<String> = files.iter().map(|file| file.name.clone()).collect();
        let change = changed_folder(&problem, &settings, &names).expect("a change");
        assert!(change.remove.is_empty() && change.write.len() == files.len());
    }
});
