//! Regular expressions of a grammar: the longest match at a position, and the bytes that a match can begin with.
//!
//! The language demands POSIX extended regular expressions on bytes: the longest match counts. In brackets a backslash
//! escapes, as most authors of `[^\\n]` expect. What POSIX leaves undefined (`\d`, `(?:...)`) is read as in Perl.
//! There are no back-references.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{Hir, HirKind, Repetition};

use crate::bytes::ByteSet;
use crate::work::{WorkCounter, WorkStop};

const CLASSES: [&str; 12] = [
    "alpha", "digit", "alnum", "upper", "lower", "space", "blank", "punct", "print", "graph",
    "cntrl", "xdigit",
];

#[derive(Debug)]
pub struct Pattern {
    /// If there are counts, of any number of repetitions.
    dfa: DFA,
    /// Of an expression such as `[a-z]{1,100000}`, which would need an automaton of that many states.
    counts: Option<Counts>,
    hir: Hir,
    text: String,
}

/// How often a single byte may be repeated.
#[derive(Clone, Copy, Debug)]
struct Counts {
    least: usize,
    most: usize,
}

/// The bytes of an automaton's cache, and how often it started afresh. Either changes if the automaton gets new states.
type CacheState = (usize, usize);

fn cache_state(cache: &Cache) -> CacheState {
    (cache.memory_usage(), cache.clear_count())
}

/// Number of bytes that are matched before their steps are counted.
const CHUNK_BYTES: usize = 1 << 10;

/// Upper bound in bytes on a compiled regular expression.
const SIZE_MAX: usize = 20 << 20;

impl Pattern {
    /// # Errors
    /// The fault, in words.
    pub fn new(expression: &[u8]) -> Result<Self, String> {
        let translated = translate(expression)?;
        let mut parser = regex_syntax::ParserBuilder::new();
        let parser = parser.unicode(false).utf8(false).dot_matches_new_line(false);
        let hir = parser.build().parse(&translated).map_err(|error| reason(&error))?;
        let (automaton, counts) = match hir.kind() {
            HirKind::Repetition(repeated) if is_one_byte(&repeated.sub) => {
                let most = repeated.max.map_or(usize::MAX, |max| max as usize);
                let counts = Counts { least: repeated.min as usize, most };
                let any = Repetition { min: 0, max: None, ..repeated.clone() };
                (Hir::repetition(any), Some(counts))
            }
            _ => (hir.clone(), None),
        };
        let nfa = thompson::Compiler::new()
            .configure(thompson::Config::new().utf8(false).nfa_size_limit(Some(SIZE_MAX)))
            .build_from_hir(&automaton)
            .map_err(|error| format!("it is too large: {error}"))?;
        let dfa = DFA::builder()
            .configure(DFA::config().match_kind(MatchKind::All).skip_cache_capacity_check(true))
            .build_from_nfa(nfa)
            .map_err(|error| error.to_string())?;
        Ok(Self { dfa, counts, hir, text: String::from_utf8_lossy(expression).into_owned() })
    }

    pub(super) fn new_cache(&self) -> Cache {
        self.dfa.create_cache()
    }

    /// The length in bytes of the longest match at the start of `text`.
    pub(super) fn longest_match(
        &self,
        text: &[u8],
        cache: &mut Cache,
        work: &WorkCounter,
    ) -> Result<Option<usize>, WorkStop> {
        let Some(Counts { least, most }) = self.counts else {
            return self.automaton_match(text, cache, work);
        };
        let length = self.automaton_match(&text[..text.len().min(most)], cache, work)?;
        Ok(length.filter(|length| *length >= least))
    }

    fn automaton_match(
        &self,
        text: &[u8],
        cache: &mut Cache,
        work: &WorkCounter,
    ) -> Result<Option<usize>, WorkStop> {
        let start = Input::new(&[]).anchored(Anchored::Yes);
        // The automaton cannot give up, because no limit is set for that.
        let Ok(mut state) = self.dfa.start_state_forward(cache, &start) else {
            return Ok(None);
        };
        let mut longest = None;
        let mut known = cache_state(cache);
        for (number, piece) in text.chunks(CHUNK_BYTES).enumerate() {
            for (index, byte) in piece.iter().enumerate() {
                let Ok(next) = self.dfa.next_state(cache, state, *byte) else {
                    return Ok(None);
                };
                state = next;
                if state.is_tagged() {
                    // The automaton reports a match one byte late.
                    if state.is_match() {
                        longest = Some(number * CHUNK_BYTES + index);
                    } else if state.is_dead() {
                        self.count_steps(cache, known, index + 1, work)?;
                        return Ok(longest);
                    }
                }
            }
            self.count_steps(cache, known, piece.len(), work)?;
            known = cache_state(cache);
        }
        let end = self.dfa.next_eoi_state(cache, state);
        Ok(if end.is_ok_and(|state| state.is_match()) { Some(text.len()) } else { longest })
    }

    /// Counts the steps for some bytes. A new state of the automaton costs as much as the whole expression.
    fn count_steps(
        &self,
        cache: &Cache,
        before: CacheState,
        bytes: usize,
        work: &WorkCounter,
    ) -> Result<(), WorkStop> {
        let sixteenths_per_byte = if cache_state(cache) == before {
            1
        } else {
            16 + self.dfa.get_nfa().states().len() as u64
        };
        work.add(1 + bytes as u64 * sixteenths_per_byte / 16)
    }

    pub(super) fn first_bytes(&self) -> ByteSet {
        let mut cache = self.new_cache();
        let input = Input::new(&[]).anchored(Anchored::Yes);
        let Ok(start) = self.dfa.start_state_forward(&mut cache, &input) else {
            return ByteSet::ALL;
        };
        let mut first = ByteSet::NONE;
        if self.counts.is_some_and(|counts| counts.least > 0) {
            let work = WorkCounter::new(u64::MAX);
            for byte in 0..=u8::MAX {
                if matches!(self.automaton_match(&[byte], &mut cache, &work), Ok(Some(1))) {
                    first.insert(byte);
                }
            }
            return first;
        }
        for byte in 0..=u8::MAX {
            match self.dfa.next_state(&mut cache, start, byte) {
                Ok(state) if state.is_dead() => {}
                _ => first.insert(byte),
            }
        }
        first
    }

    pub(super) fn matches_empty(&self) -> bool {
        matches!(
            self.longest_match(b"", &mut self.new_cache(), &WorkCounter::new(u64::MAX)),
            Ok(Some(_))
        )
    }

    pub(super) fn hir(&self) -> &Hir {
        &self.hir
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

fn is_one_byte(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(_) => {
            let properties = hir.properties();
            [properties.minimum_len(), properties.maximum_len()] == [Some(1), Some(1)]
        }
        HirKind::Literal(literal) => literal.0.len() == 1,
        _ => false,
    }
}

/// The last line of an error has the reason.
fn reason(error: &regex_syntax::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// Bytes beyond ASCII are escaped, and brackets work as in POSIX.
fn translate(expression: &[u8]) -> Result<String, String> {
    let mut out = String::new();
    let mut at = 0;
    while let Some(&byte) = expression.get(at) {
        at += 1;
        match byte {
            b'\\' => match expression.get(at) {
                None => return Err("it ends with a single backslash".to_owned()),
                Some(digit @ b'1'..=b'9') => {
                    return Err(format!(
                        "`\\{}` is a back reference, which no validator of linear time can have",
                        char::from(*digit)
                    ));
                }
                Some(&escaped) => {
                    at += 1;
                    push_escaped(&mut out, escaped);
                }
            },
            b'[' => at = bracket(expression, at, &mut out)?,
            b'{' => match interval(&expression[at..]) {
                Some((text, length)) => {
                    at += length;
                    out.push_str(&text);
                }
                None => out.push_str("\\{"),
            },
            _ => push_byte(&mut out, byte),
        }
    }
    Ok(out)
}

/// Reads `{m}`, `{m,}`, `{m,n}` or `{,n}` after its opening brace. Returns the engine's form, and the bytes read.
fn interval(rest: &[u8]) -> Option<(String, usize)> {
    let end = rest.iter().position(|byte| *byte == b'}')?;
    let inner = std::str::from_utf8(&rest[..end]).ok()?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let text = match inner.split_once(',') {
        None if !inner.is_empty() && is_number(inner) => format!("{{{inner}}}"),
        Some((min, max)) if is_number(min) && is_number(max) && inner.len() > 1 => {
            let min = if min.is_empty() { "0" } else { min };
            format!("{{{min},{max}}}")
        }
        _ => return None,
    };
    Some((text, end + 1))
}

/// Translates a bracket expression after its `[`. Returns where it ends.
fn bracket(expression: &[u8], start: usize, out: &mut String) -> Result<usize, String> {
    let mut at = start;
    out.push('[');
    if expression.get(at) == Some(&b'^') {
        out.push('^');
        at += 1;
    }
    let first = at;
    loop {
        let Some(&byte) = expression.get(at) else { return Err("a `[` is not closed".to_owned()) };
        at += 1;
        let is_last = expression.get(at) == Some(&b']');
        match byte {
            b']' if at - 1 > first => {
                out.push(']');
                return Ok(at);
            }
            b'[' if expression.get(at) == Some(&b':') => {
                let rest = &expression[at..];
                let Some(end) = rest.windows(2).position(|pair| pair == b":]") else {
                    return Err("a `[:` is not closed by `:]`".to_owned());
                };
                let class = String::from_utf8_lossy(&rest[1..end]).into_owned();
                if !CLASSES.contains(&&*class) {
                    return Err(format!(
                        "there is no class `[:{class}:]`; known: {}",
                        CLASSES.join(", ")
                    ));
                }
                out.push_str(&format!("[:{class}:]"));
                at += end + 2;
            }
            b'[' if let Some((name, end)) = collating_element(expression, at) => {
                let &[only] = name else {
                    let name = String::from_utf8_lossy(&expression[at..end]);
                    return Err(format!(
                        "`[{name}` is a name for a character: write the character itself"
                    ));
                };
                out.push_str(&format!("\\x{only:02x}"));
                at = end;
            }
            b'\\' => {
                let Some(&escaped) = expression.get(at) else {
                    return Err("a `[` is not closed".to_owned());
                };
                at += 1;
                match escaped {
                    b'b' => out.push_str("\\x08"),
                    _ => push_escaped(out, escaped),
                }
            }
            b'-' if at - 1 == first || is_last => out.push_str("\\-"),
            b'[' | b']' | b'&' | b'~' | b'^' => push_escaped(out, byte),
            _ => push_byte(out, byte),
        }
    }
}

/// Reads a collating element `[.x.]` or an equivalence class `[=x=]` after its `[`. Returns its content, and where it
/// ends. In the POSIX locale, both mean the character itself.
fn collating_element(expression: &[u8], start: usize) -> Option<(&[u8], usize)> {
    let sign = *expression.get(start).filter(|sign| matches!(sign, b'.' | b'='))?;
    let rest = &expression[start + 1..];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let length = rest.iter().take_while(|byte| is_name(byte)).count().max(1);
    rest[length.min(rest.len())..]
        .starts_with(&[sign, b']'])
        .then(|| (&rest[..length], start + 1 + length + 2))
}

fn push_escaped(out: &mut String, escaped: u8) {
    match escaped {
        b'a'..=b'z' | b'A'..=b'Z' => out.extend(['\\', char::from(escaped)]),
        b'0' => out.push_str("\\x00"),
        _ => out.push_str(&format!("\\x{escaped:02x}")),
    }
}

fn push_byte(out: &mut String, byte: u8) {
    match byte {
        b' '..=b'~' => out.push(char::from(byte)),
        _ => out.push_str(&format!("\\x{byte:02x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_match_counts() {
        let check = |expression: &str, text: &[u8], length: Option<usize>| {
            let pattern = Pattern::new(expression.as_bytes()).expect(expression);
            let found =
                pattern.longest_match(text, &mut pattern.new_cache(), &WorkCounter::new(u64::MAX));
            assert_eq!(found, Ok(length), "{expression} on {text:?}");
        };
        check("a|ab", b"abc", Some(2));
        check("(a|ab)(c|bcd)", b"abcd", Some(4));
        check("[a-z]+", b"abc1", Some(3));
        check("[a-z]*", b"1", Some(0));
        check("[a-z]+", b"1", None);
        check(".*", b"a\nb", Some(1));
        check("[^\n]*", b"a\nb", Some(1));
        check("[^\\n]*", b"a\nb", Some(1));
        check("\\\\", b"\\n", Some(1));
        check("[]a]+", b"a]b", Some(2));
        check("[^]a]+", b"b]a", Some(1));
        check("[a-z&&[b]+", b"&[b", Some(3));
        check("[[:upper:]_-]{2,3}", b"A-_B", Some(3));
        check("x{,2}", b"xxx", Some(2));
        check("[a-c]{2,200000}", b"abcabcd", Some(6));
        check("[a-c]{2,200000}", b"ad", None);
        check("x{2}", b"xxx", Some(2));
        check("[[.a.][=b=]]+", b"ab.=[c", Some(2));
        check("[[.-.][.].][.^.]x-[=z=]]+", b"-]^xyz.", Some(6));
        check("[^[.].]]+", b"a.]", Some(2));
        check("[[.]+", b"[.a", Some(2));
        check("[a[=]+", b"a[=.", Some(3));
        check("a{b}", b"a{b}", Some(4));
        check("\u{e9}", "\u{e9}".as_bytes(), Some(2));
        check("^a$", b"a", Some(1));
        check("^a$", b"ab", None);
        check("\\.\\/\\-\\\"", b"./-\"", Some(4));
    }

    #[test]
    fn invalid_expressions_are_refused() {
        let check = |expression: &str, part: &str| {
            let error = Pattern::new(expression.as_bytes()).map(|_| ()).expect_err(expression);
            assert!(error.contains(part), "{error}");
        };
        check("(a", "unclosed group");
        check("[a", "not closed");
        check("(a)\\1", "back reference");
        check("a\\", "backslash");
        check("*a", "repetition operator");
        check("(((a{1000}){1000}){1000})", "large");
        check("[[:nope:]]", "no class");
        check(
            "[a[.hyphen.]]",
            "`[.hyphen.]` is a name for a character: write the character itself",
        );
        check("[[=ab=]]", "`[=ab=]` is a name");
    }

    #[test]
    fn the_bytes_that_begin_a_match_are_known() {
        let first = Pattern::new(b"(ab|c)?[x-z]").expect("an expression").first_bytes();
        let bytes: Vec<u8> = (0..=u8::MAX).filter(|byte| first.contains(*byte)).collect();
        assert_eq!(bytes, b"acxyz");
    }
}
