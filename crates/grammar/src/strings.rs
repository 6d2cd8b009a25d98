//! Random texts that a regular expression matches, drawn from its structure.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::chance::Chance;

/// Upper bound on the repetitions beyond the least number, where the expression sets none.
const MORE_MAX: u32 = 12;
/// From this length in bytes on, repetitions are as few as permitted.
const LENGTH_MAX: usize = 1 << 20;

/// How long a text should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Random,
    Least,
    Most,
    /// This many bytes, as far as possible.
    Exactly(usize),
}

/// The text matches unless the expression has look-around.
pub(super) fn draw_text(hir: &Hir, length: Length, chance: &mut Chance) -> Vec<u8> {
    let mut text = Vec::new();
    match length {
        Length::Exactly(bytes) => add_exactly(hir, bytes, chance, &mut text),
        _ => add_random(hir, length, chance, &mut text),
    }
    text
}

/// In bytes, of texts that match.
pub(super) fn lengths(hir: &Hir) -> [usize; 2] {
    let properties = hir.properties();
    let least = properties.minimum_len().unwrap_or(0);
    [least, properties.maximum_len().unwrap_or(usize::MAX).max(least)]
}

/// Adds this many bytes, as far as possible: each part gets what the least lengths of later parts leave.
fn add_exactly(hir: &Hir, bytes: usize, chance: &mut Chance, text: &mut Vec<u8>) {
    let end = text.len().saturating_add(bytes);
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            let [least, most] = lengths(&repetition.sub);
            let mut times = 0;
            while repetition.max.is_none_or(|max| times < max) {
                let start = text.len();
                if times >= repetition.min && start + least.max(1) > end {
                    break;
                }
                times += 1;
                let later = repetition.min.saturating_sub(times) as usize * least;
                let room = end.saturating_sub(start + later).clamp(least, most);
                let mine = room - chance.below((room - least) as u64 + 1) as usize;
                add_exactly(&repetition.sub, mine, chance, text);
                if text.len() == start && times >= repetition.min {
                    break;
                }
            }
        }
        HirKind::Capture(capture) => add_exactly(&capture.sub, bytes, chance, text),
        HirKind::Concat(parts) => {
            let mut later: usize = parts.iter().map(|part| lengths(part)[0]).sum();
            for part in parts {
                let [least, most] = lengths(part);
                later -= least;
                let room = end.saturating_sub(text.len() + later);
                add_exactly(part, room.clamp(least, most), chance, text);
            }
        }
        HirKind::Alternation(parts) => {
            let fits = |part: &&Hir| {
                let [least, most] = lengths(part);
                (least..=most).contains(&bytes)
            };
            let fitting: Vec<&Hir> = parts.iter().filter(fits).collect();
            match fitting.as_slice() {
                [] => add_random(hir, Length::Random, chance, text),
                some => {
                    add_exactly(some[chance.below(some.len() as u64) as usize], bytes, chance, text)
                }
            }
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => {
            add_random(hir, Length::Random, chance, text);
        }
    }
}

fn add_random(hir: &Hir, length: Length, chance: &mut Chance, text: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend(&literal.0),
        HirKind::Class(class) => text.push(byte_of(class, chance)),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition_count(repetition, length, chance, text.len()) {
                add_random(&repetition.sub, length, chance, text);
            }
        }
        HirKind::Capture(capture) => add_random(&capture.sub, length, chance, text),
        HirKind::Concat(parts) => {
            for part in parts {
                add_random(part, length, chance, text);
            }
        }
        HirKind::Alternation(parts) => {
            let chosen = chance.below(parts.len() as u64) as usize;
            add_random(&parts[chosen], length, chance, text);
        }
    }
}

fn repetition_count(
    repetition: &Repetition,
    length: Length,
    chance: &mut Chance,
    so_far: usize,
) -> u32 {
    let min = repetition.min;
    let max = repetition.max.unwrap_or(min.saturating_add(MORE_MAX)).max(min);
    match length {
        _ if so_far > LENGTH_MAX => min,
        Length::Least => min,
        Length::Most => max,
        Length::Random | Length::Exactly(_) => min + chance.below(u64::from(max - min) + 1) as u32,
    }
}

/// Preferably a visible byte.
fn byte_of(class: &Class, chance: &mut Chance) -> u8 {
    let ranges: Vec<(u8, u8)> = match class {
        Class::Bytes(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Unicode(class) => {
            let byte = |character: char| u8::try_from(u32::from(character)).unwrap_or(u8::MAX);
            class.iter().map(|range| (byte(range.start()), byte(range.end()))).collect()
        }
    };
    let visible: Vec<(u8, u8)> = ranges
        .iter()
        .map(|(start, end)| ((*start).max(b'!'), (*end).min(b'~')))
        .filter(|(start, end)| start <= end)
        .collect();
    let ranges = if visible.is_empty() { ranges } else { visible };
    let count: u64 = ranges.iter().map(|(start, end)| u64::from(end - start) + 1).sum();
    let mut chosen = chance.below(count);
    for (start, end) in ranges {
        let size = u64::from(end - start) + 1;
        if chosen < size {
            return start + chosen as u8;
        }
        chosen -= size;
    }
    // An empty class matches nothing; the caller notices that.
    b'?'
}
