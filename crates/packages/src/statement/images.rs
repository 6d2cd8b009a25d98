//! Images of a statement, embedded in a page.

use std::path::Path;

use crate::package::statements::Statement;
use crate::statement::html::{IMAGE_TYPES, data_uri};
use crate::statement::source::read_file;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::units::Bytes;

const LARGEST_IMAGE: Bytes = Bytes::mib(8);
/// For all images of a page together: one may be on it many times.
const ALL_IMAGES: Bytes = Bytes::mib(64);
/// Found or not: each image is searched under many names.
const MOST_IMAGES: usize = 1000;

pub(super) struct StatementImages {
    directory: FilePath,
    number: usize,
    bytes: u64,
}

impl StatementImages {
    pub(super) fn new(problem: &Problem, statement: &Statement) -> Self {
        let directory = statement.path.directory();
        let directory = directory.unwrap_or_else(|| problem.dir.clone());
        Self { directory, number: 0, bytes: 0 }
    }

    /// If browsers do not show the type of the image, one with the same name and another ending is taken. In an
    /// `<img>`, an SVG file can neither run scripts nor load anything.
    ///
    /// # Errors
    /// If it cannot be shown, with the reason.
    pub(super) fn address(&mut self, name: &str) -> Result<String, String> {
        self.number += 1;
        if self.number > MOST_IMAGES {
            return Err(format!("a statement has {MOST_IMAGES} images at most"));
        }
        let address = self.load(name)?;
        let bytes = self.bytes + address.len() as u64;
        if bytes > ALL_IMAGES.0 {
            return Err(format!("all images of a statement have {ALL_IMAGES} at most"));
        }
        self.bytes = bytes;
        Ok(address)
    }

    fn load(&self, name: &str) -> Result<String, String> {
        let ending = |name: &str| {
            let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
            ending.unwrap_or_default().to_ascii_lowercase()
        };
        let known = |name: &str| IMAGE_TYPES.into_iter().find(|(known, _)| *known == ending(name));
        let stem = match ending(name).as_str() {
            "pdf" | "eps" => &name[..name.len() - 4],
            _ => name,
        };
        let with = |ending: &str| {
            let mut names = [ending.to_owned(), ending.to_ascii_uppercase()]
                .map(|ending| format!("{stem}.{ending}"))
                .into_iter();
            names.find(|name| self.directory.join(name).is_file())
        };
        let name = match known(name) {
            Some(_) => name.to_owned(),
            None => (IMAGE_TYPES.into_iter().find_map(|(ending, _)| with(ending)))
                .or_else(|| ["pdf", "eps"].into_iter().find_map(with))
                .unwrap_or_else(|| name.to_owned()),
        };
        let Some((_, media_type)) = known(&name) else {
            return Err(match ending(&name).as_str() {
                ending @ ("pdf" | "eps") => format!("a page cannot show .{ending}"),
                "" => format!("there is no {name}.png, .jpg, .jpeg or .svg"),
                _ => "a page shows .png, .jpg, .jpeg and .svg".to_owned(),
            });
        };
        let bytes = read_file(&self.directory.join(&name), LARGEST_IMAGE);
        bytes.map(|bytes| data_uri(media_type, &bytes)).map_err(|error| error.to_string())
    }
}
