//! The word that a misspelt one probably means.

use std::collections::BTreeSet;
use std::path::Path;

use juror_core::root::FilePath;
use juror_core::text::printable;

/// Longer words are not compared.
const MAX_LENGTH: usize = 64;
/// Longer paths are not compared.
const MAX_PATH_LENGTH: usize = 256;

/// The known word nearest to `word`, if one is near enough.
///
/// Letter case, `-` and `_` do not count; otherwise about one mistake in three letters is forgiven.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_LENGTH {
        return None;
    }
    let word = fold(word);
    let slips = |known: &&str| strsim::osa_distance(&word, &fold(known));
    let known = known.into_iter().filter(|known| known.len() <= MAX_LENGTH);
    let (slips, nearest) =
        known.map(|known| (slips(&known), known)).min_by_key(|(slips, _)| *slips)?;
    let is_near = slips <= word.chars().count().div_ceil(3) && slips < nearest.chars().count();
    is_near.then_some(nearest)
}

/// The known word that `word` probably stands for: the nearest one, else the only one that it begins (`mem`) or whose
/// words it abbreviates (`tl`).
pub fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let folded = fold(word);
    let is_short_form = |known: &&&str| {
        let known = fold(known);
        let initials: String = known.split('_').filter_map(|part| part.chars().next()).collect();
        folded.len() >= 2 && (known.starts_with(&folded) || initials == folded)
    };
    let mut short_forms = known.iter().filter(is_short_form);
    match (short_forms.next(), short_forms.next()) {
        (Some(only), None) => Some(only),
        _ => nearest(word, known),
    }
}

/// The paths that a misspelt one probably means, for the end of a sentence. The end of a path may stand for the path.
pub fn paths_near<'a>(path: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const SHOWN: usize = 3;
    let word = fold(path);
    let parts = path.split('/').count();
    let slips = |known: &str| {
        let end = known.rmatch_indices('/').nth(parts - 1).map_or(0, |(index, _)| index + 1);
        let slips = |known: &str| strsim::osa_distance(&word, &fold(known));
        slips(&known[end..]).min(slips(known))
    };
    let known = known.into_iter().filter(|known| known.len() < MAX_PATH_LENGTH);
    let most = word.chars().count().div_ceil(3);
    let mut near: BTreeSet<(usize, &str)> = known.map(|known| (slips(known), known)).collect();
    near.retain(|(slips, _)| *slips <= most && *slips < path.len() && path.len() < MAX_PATH_LENGTH);
    let shown = near.iter().take(SHOWN);
    let near: Vec<String> = shown.map(|(_, name)| format!("`{}`", printable(name))).collect();
    match &near[..] {
        [] => None,
        [only] => Some(format!("did you mean {only}?")),
        [others @ .., last] => Some(format!("did you mean {} or {last}?", others.join(", "))),
    }
}

/// What to write instead of a misspelt word: the nearest known one, else `otherwise`.
pub(super) fn did_you_mean_or<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl Into<String>,
) -> String {
    nearest(word, known).map_or_else(|| otherwise.into(), did_you_mean)
}

/// The path below a directory that was probably meant: without the directory's own name, or with an ending.
pub(super) fn path_meant(path: &str, directory: &FilePath) -> Option<String> {
    let own = directory.file_name().and_then(|name| name.to_str()).unwrap_or(".");
    let below = Path::new(path).strip_prefix("/").unwrap_or(Path::new(path));
    let parts = below.iter().filter_map(|part| part.to_str());
    let parts: Vec<&str> = parts.skip_while(|part| [".", "..", own].contains(part)).collect();
    let (last, above) = parts.split_last()?;
    let names = directory.join(above.join("/")).names().unwrap_or_default();
    let mut names: Vec<&str> = names.iter().filter_map(|name| name.to_str()).collect();
    names.sort_unstable();
    let is_meant =
        |name: &&&str| *name == last || Path::new(name).file_stem() == Some(last.as_ref());
    let name = *names.iter().find(is_meant)?;
    let near = [above, &[name][..]].concat().join("/");
    (near != path).then_some(near)
}

pub(crate) fn did_you_mean(known: &str) -> String {
    format!("did you mean `{known}`?")
}

fn fold(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

pub fn comma_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_are_found() {
        const KNOWN: [&str; 4] = ["memory", "output", "time_limit", "wrong_answer"];
        let check = |word: &str, expected: Option<&str>| assert_eq!(nearest(word, KNOWN), expected);
        check("memry", Some("memory"));
        check("mmeory", Some("memory"));
        check("Time-Limit", Some("time_limit"));
        check("timelimit", Some("time_limit"));
        check("wrong-answer", Some("wrong_answer"));
        check("outputs", Some("output"));
        check("colour", None);
        check("x", None);
        check("", None);
        check(&"memory".repeat(1000), None);
    }

    #[test]
    fn a_short_form_stands_for_the_only_word_that_it_fits() {
        const KNOWN: [&str; 5] = ["time-limit", "memory-limit", "case", "cache", "strength"];
        let check = |word: &str, expected: Option<&str>| assert_eq!(meant(word, KNOWN), expected);
        check("tl", Some("time-limit"));
        check("memory", Some("memory-limit"));
        check("cases", Some("case"));
        check("ca", None);
        check("strenght", Some("strength"));
        check("test", None);
        check("watch", None);
        check("t", None);
    }

    #[test]
    fn a_path_is_meant_without_its_directory_or_with_its_ending() {
        let keep = tempfile::tempdir().expect("a directory");
        for name in ["generators/g.py", "generators/deep/tree.cpp", "generators/deep/tree.h"] {
            let path = keep.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            std::fs::write(path, "").expect("a file");
        }
        let directory = FilePath::root(keep.path().join("generators"));
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(path_meant(path, &directory).as_deref(), expected, "{path}");
        };
        check("g", Some("g.py"));
        check("generators/g.py", Some("g.py"));
        check("generators/g", Some("g.py"));
        check("./g.py", Some("g.py"));
        check("/generators/g.py", Some("g.py"));
        check("../generators/g.py", Some("g.py"));
        check("deep/tree", Some("deep/tree.cpp"));
        check("generators/deep/tree.h", Some("deep/tree.h"));
        check("g.py", None);
        check("tree", None);
        check("x/g", None);
        check("..", None);
        check("", None);
    }

    #[test]
    fn misspelt_paths_and_ends_of_paths_are_found() {
        const KNOWN: [&str; 4] = ["sample/1", "secret/small", "secret/small/1", "secret/large/1"];
        let check = |path: &str, expected: &str| {
            assert_eq!(paths_near(path, KNOWN).unwrap_or_default(), expected);
        };
        let three = "did you mean `secret/small/1`, `secret/small` or `secret/large/1`?";
        check("secret/smal/1", three);
        check("small", "did you mean `secret/small`?");
        check("smal/1", "did you mean `secret/small/1`?");
        check("", "");
        check("nothing-like-it", "");
    }
}
