//! Codes of programming languages and of natural languages.
//!
//! Source: problem package format 2025-09, appendix "Languages", and "General requirements".

use crate::language::table::{LANGUAGES, Language, Validators};
use crate::package::suggest::{did_you_mean, meant_or};

/// The English names of natural languages, each with its code.
const NATURAL: &str = "\
    arabic=ar armenian=hy azerbaijani=az belarusian=be bulgarian=bg chinese=zh croatian=hr \
    czech=cs danish=da dutch=nl english=en estonian=et finnish=fi french=fr georgian=ka \
    german=de greek=el hebrew=he hindi=hi hungarian=hu indonesian=id italian=it japanese=ja \
    kazakh=kk korean=ko kyrgyz=ky latvian=lv lithuanian=lt mongolian=mn norwegian=no persian=fa \
    polish=pl portuguese=pt romanian=ro russian=ru serbian=sr slovak=sk slovenian=sl spanish=es \
    swedish=sv tajik=tg thai=th turkish=tr turkmen=tk ukrainian=uk uzbek=uz vietnamese=vi";

/// The code of a natural language by its English name; other words stay as they are.
pub(super) fn natural_language(name: &str) -> &str {
    let code = |pair: &'static str| pair.strip_prefix(name)?.strip_prefix('=');
    NATURAL.split(' ').find_map(code).unwrap_or(name)
}

/// Whether a word is the code of a programming language.
pub(super) fn is_programming_language(word: &str) -> bool {
    Language::by_code(word).is_some()
}

/// Whether juror has the language of this code, but the format does not.
pub(super) fn is_our_own(code: &str) -> bool {
    Language::by_code(code).is_some_and(|language| !language.is_of_format)
}

/// Whether files with this ending, without its dot, are sources of some language.
pub(super) fn is_of_source(ending: &str) -> bool {
    LANGUAGES.iter().any(|it| has_ending(it, ending))
}

/// Whether files with this ending, without its dot, are sources of a language that the format allows for validators.
pub(super) fn is_of_validator(ending: &str) -> bool {
    let mut languages = LANGUAGES.iter().filter(|it| it.validators == Validators::Everywhere);
    languages.any(|it| has_ending(it, ending))
}

fn has_ending(language: &Language, ending: &str) -> bool {
    language.extensions.split_whitespace().any(|it| it.strip_prefix('.') == Some(ending))
}

/// What to write instead of an unknown code.
pub(super) fn help_for(word: &str) -> String {
    let folded = word.to_lowercase();
    let is_called = |it: &&Language| it.aliases.split_whitespace().any(|alias| alias == folded);
    let called = LANGUAGES.iter().find(is_called).map(|it| it.code);
    let otherwise = "use a code of the format's table, such as `cpp`, `java` or `python3`";
    let codes = LANGUAGES.iter().map(|it| it.code);
    called.map_or_else(|| meant_or(word, codes, otherwise), did_you_mean)
}

/// Whether a word has the form of a natural language's code: `en`, `fil`, `pt-BR`.
pub(super) fn is_natural_language(code: &str) -> bool {
    let (language, region) = match code.split_once('-') {
        Some((language, region)) => (language, Some(region)),
        None => (code, None),
    };
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && region.is_none_or(|region| {
            region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_languages_have_two_or_three_letters_and_perhaps_a_region() {
        let check = |code: &str, expected: bool| assert_eq!(is_natural_language(code), expected);
        check("en", true);
        check("fil", true);
        check("pt-BR", true);
        check("EN", false);
        check("e", false);
        check("english", false);
        check("pt-br", false);
        check("pt-", false);
        check("", false);
    }
}
