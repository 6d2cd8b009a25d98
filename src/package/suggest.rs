//! What a misspelt word was probably meant to be.

/// Longer words are not compared.
const MAX_LENGTH: usize = 64;

/// The known word that is nearest to `word`, if one is near enough to be meant.
///
/// Letter case, `-` and `_` do not count; otherwise about one slip in three letters is forgiven.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_LENGTH {
        return None;
    }
    let word = folded(word);
    let slips = |known: &str| strsim::osa_distance(&word, &folded(known));
    known
        .into_iter()
        .filter(|known| known.len() <= MAX_LENGTH)
        .map(|known| Candidate { known, slips: slips(known) })
        .filter(|candidate| candidate.slips <= word.chars().count().div_ceil(3))
        .min_by_key(|candidate| candidate.slips)
        .filter(|candidate| candidate.slips < candidate.known.chars().count())
        .map(|candidate| candidate.known)
}

/// What to write instead of a misspelt word: the nearest known one, else what `otherwise` says.
pub(super) fn meant_or<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl Into<String>,
) -> String {
    nearest(word, known).map_or_else(|| otherwise.into(), did_you_mean)
}

pub(super) fn did_you_mean(known: &str) -> String {
    format!("did you mean `{known}`?")
}

struct Candidate<'a> {
    known: &'a str,
    slips: usize,
}

fn folded(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

/// The words as a list for a reader: `a, b, c`.
pub(super) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_or_two_are_forgiven() {
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
}
