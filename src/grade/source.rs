//! Languages and file names of sources in a line.

use std::path::{Component, Path};

use crate::grade::fault::{FaultyPart, LineFault};
use juror_core::language::table::Language;
use juror_packages::package::suggest::nearest;

/// Suggests the nearest known word, otherwise lists all.
pub fn suggestion(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}

pub fn find_language(word: &str) -> Result<&'static Language, LineFault> {
    Language::by_name(word).ok_or_else(|| {
        let codes: Vec<&str> = Language::supported().map(|language| language.code).collect();
        let what = format!("unknown language `{word}`");
        LineFault::new(FaultyPart::Source, what, Some(suggestion(&word.to_lowercase(), &codes)))
    })
}

/// Such as `main.cpp`.
pub fn source_name(stem: &str, language: &Language) -> String {
    let ending = language.extensions.split_whitespace().next().unwrap_or_default();
    format!("{stem}{ending}")
}

/// `pointer` names the name in messages.
pub fn check_file_name<'a>(pointer: &str, name: &'a str) -> Result<&'a str, LineFault> {
    let mut parts = Path::new(name).components();
    let is_one = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    let is_short = name.len() <= 255;
    if is_one && is_short && !name.starts_with(['.', '-']) && !name.contains(['/', '\0']) {
        Ok(name)
    } else {
        let help = "give the name of a file without a directory, such as `main.cpp`";
        Err(LineFault::of_line(format!("`{pointer}`: `{name}` is not a plain file name"), help))
    }
}
