//! Codes of programming languages and of natural languages.
//!
//! Source: problem package format 2025-09, appendix "Languages", and "General requirements".

use crate::package::suggest::{did_you_mean, did_you_mean_or};
use juror_core::language::table::{LANGUAGES, Language, has_ending};

/// The English names of natural languages, each with its code: those of ISO 639-1 in use, and others that Polygon, CMS
/// or their users write.
const NATURAL_LANGUAGES: &str = "\
    abkhazian=ab afar=aa afrikaans=af akan=ak albanian=sq amharic=am arabic=ar aragonese=an \
    armenian=hy assamese=as asturian=ast avaric=av aymara=ay azerbaijani=az bambara=bm \
    bashkir=ba basque=eu belarusian=be bengali=bn bislama=bi bosnian=bs breton=br bulgarian=bg \
    burmese=my catalan=ca cebuano=ceb chamorro=ch chechen=ce chichewa=ny chinese=zh chuvash=cv \
    cornish=kw corsican=co cree=cr croatian=hr czech=cs danish=da divehi=dv dutch=nl dzongkha=dz \
    english=en esperanto=eo estonian=et ewe=ee faroese=fo farsi=fa fijian=fj filipino=fil \
    finnish=fi french=fr frisian=fy fulah=ff gaelic=gd galician=gl ganda=lg georgian=ka \
    german=de greek=el greenlandic=kl guarani=gn gujarati=gu haitian=ht hausa=ha hawaiian=haw \
    hebrew=he herero=hz hindi=hi hungarian=hu icelandic=is ido=io igbo=ig indonesian=id \
    interlingua=ia inuktitut=iu irish=ga italian=it japanese=ja javanese=jv kannada=kn kanuri=kr \
    kashmiri=ks kazakh=kk khmer=km kikuyu=ki kinyarwanda=rw kirghiz=ky komi=kv kongo=kg \
    korean=ko kurdish=ku kyrgyz=ky lao=lo latin=la latvian=lv limburgish=li lingala=ln \
    lithuanian=lt luxembourgish=lb macedonian=mk malagasy=mg malay=ms malayalam=ml maltese=mt \
    manx=gv maori=mi marathi=mr marshallese=mh moldavian=ro mongolian=mn montenegrin=cnr \
    nauru=na navajo=nv nepali=ne norwegian=no nynorsk=nn occitan=oc odia=or ojibwa=oj oriya=or \
    oromo=om ossetian=os pashto=ps persian=fa polish=pl portuguese=pt punjabi=pa quechua=qu \
    romanian=ro romansh=rm rundi=rn russian=ru samoan=sm sango=sg sanskrit=sa sardinian=sc \
    serbian=sr shona=sn sindhi=sd sinhala=si slovak=sk slovene=sl slovenian=sl somali=so \
    sotho=st spanish=es sundanese=su swahili=sw swati=ss swedish=sv tagalog=tl tahitian=ty \
    tajik=tg tamil=ta tatar=tt telugu=te thai=th tibetan=bo tigrinya=ti tonga=to tsonga=ts \
    tswana=tn turkish=tr turkmen=tk twi=tw uighur=ug ukrainian=uk urdu=ur uyghur=ug uzbek=uz \
    venda=ve vietnamese=vi volapuk=vo walloon=wa welsh=cy wolof=wo xhosa=xh yiddish=yi yoruba=yo \
    zhuang=za zulu=zu";

/// The code of a natural language by its English name; other words stay as they are.
pub(super) fn natural_language(name: &str) -> &str {
    let lower = name.to_lowercase();
    let code = |pair: &'static str| pair.strip_prefix(&*lower)?.strip_prefix('=');
    NATURAL_LANGUAGES.split(' ').find_map(code).unwrap_or(name)
}

pub(super) fn is_programming_language(word: &str) -> bool {
    Language::by_code(word).is_some()
}

/// Whether juror has the language of this code, but the format does not.
pub(super) fn is_only_of_juror(code: &str) -> bool {
    Language::by_code(code).is_some_and(|language| !language.is_standard)
}

/// The ending has no dot.
pub(super) fn is_source_ending(ending: &str) -> bool {
    LANGUAGES.iter().any(|language| has_ending(ending, language.extensions))
}

/// Whether the format allows languages with this ending, which has no dot, for validators.
pub(super) fn is_validator_ending(ending: &str) -> bool {
    let mut languages = LANGUAGES.iter().filter(|language| language.validates_everywhere);
    languages.any(|language| has_ending(ending, language.extensions))
}

pub(super) fn help_for_code(word: &str) -> String {
    let called = Language::by_name(word).map(|language| language.code);
    let otherwise = "use a code of the format's table, such as `cpp`, `java` or `python3`";
    let codes = LANGUAGES.iter().map(|language| language.code);
    called.map_or_else(|| did_you_mean_or(word, codes, otherwise), did_you_mean)
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
    fn names_of_natural_languages_map_to_codes() {
        let check = |name: &str, code: &str| assert_eq!(natural_language(name), code);
        for (name, code) in [
            ("english", "en"),
            ("Russian", "ru"),
            ("slovene", "sl"),
            ("slovenian", "sl"),
            ("malay", "ms"),
            ("malayalam", "ml"),
            ("macedonian", "mk"),
            ("bosnian", "bs"),
            ("catalan", "ca"),
            ("bengali", "bn"),
            ("urdu", "ur"),
            ("tamil", "ta"),
            ("filipino", "fil"),
            ("icelandic", "is"),
            ("zulu", "zu"),
        ] {
            check(name, code);
        }
        for same in ["", "en", "klingon", "abkhazian=ab", "pt-BR"] {
            check(same, same);
        }
        for pair in NATURAL_LANGUAGES.split(' ') {
            assert!(is_natural_language(pair.split_once('=').expect("a code").1), "{pair}");
        }
    }

    #[test]
    fn natural_language_codes_have_two_or_three_letters_and_perhaps_a_region() {
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
