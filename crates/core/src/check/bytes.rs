//! Loops over plain bytes, written so that the compiler vectorizes them.
//!
//! They do not call the C library, whose functions are slow if the binary is linked statically.

/// Whether this byte separates tokens.
///
/// Source: problem package format 2025-09, "Output parsing": space, `\t`, `\n`, vertical tab, form feed, `\r`.
#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(b'\t') < 5
}

#[inline]
pub(super) fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    let length = left.len().min(right.len());
    let (left, right) = (&left[..length], &right[..length]);
    // Most texts differ early: large blocks are only for those that do not.
    let mut common = common_words(&left[..length.min(32)], &right[..length.min(32)]);
    if common == 32 {
        common += common_blocks(&left[32..], &right[32..]);
        common += common_words(&left[common..], &right[common..]);
    }
    common
}

#[inline]
fn common_blocks(left: &[u8], right: &[u8]) -> usize {
    const SIZE: usize = 128;
    let (left, _) = left.as_chunks::<SIZE>();
    let (right, _) = right.as_chunks::<SIZE>();
    let differs = |(left, right): (&[u8; SIZE], &[u8; SIZE])| {
        let bits = left.iter().zip(right).fold(0, |bits, (l, r)| bits | l ^ r);
        bits != 0
    };
    SIZE * left.iter().zip(right).position(differs).unwrap_or(left.len())
}

#[inline]
fn common_words(left: &[u8], right: &[u8]) -> usize {
    let (left_words, left_rest) = left.as_chunks::<8>();
    let (right_words, right_rest) = right.as_chunks::<8>();
    for (index, (left, right)) in left_words.iter().zip(right_words).enumerate() {
        let bits = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if bits != 0 {
            return 8 * index + bits.trailing_zeros() as usize / 8;
        }
    }
    let rest = left_rest.iter().zip(right_rest);
    8 * left_words.len() + rest.take_while(|(left, right)| left == right).count()
}

/// Length of the common prefix, with `A` to `Z` treated as `a` to `z`.
#[inline]
pub(super) fn common_prefix_folded(left: &[u8], right: &[u8]) -> usize {
    let equal = common_prefix(left, right);
    let rest = left[equal..].iter().zip(&right[equal..]);
    equal + rest.take_while(|(l, r)| l.eq_ignore_ascii_case(r)).count()
}

#[inline]
fn token_length(bytes: &[u8]) -> usize {
    let blank_in = |bytes: &[u8]| bytes.iter().position(|&byte| is_blank(byte));
    // Most tokens are short: large blocks are only for those that are not.
    let (start, rest) = bytes.split_at(bytes.len().min(32));
    if let Some(length) = blank_in(start) {
        return length;
    }
    let (blocks, _) = rest.as_chunks::<64>();
    let has_blank =
        |block: &[u8; 64]| block.iter().fold(0, |any, &byte| any | u8::from(is_blank(byte))) != 0;
    let blocks = blocks.iter().position(has_blank).unwrap_or(blocks.len());
    let before = start.len() + 64 * blocks;
    before + blank_in(&bytes[before..]).unwrap_or(bytes.len() - before)
}

/// Counts the blanks at the front, or the bytes of the token.
#[inline]
pub(super) fn run_length(text: &[u8], of_blanks: bool) -> usize {
    if of_blanks {
        text.iter().position(|&byte| !is_blank(byte)).unwrap_or(text.len())
    } else {
        token_length(text)
    }
}

/// Removes the blanks or the token from the front, and returns them.
#[inline]
pub(super) fn take_run<'t>(text: &mut &'t [u8], of_blanks: bool) -> &'t [u8] {
    let (run, rest) = text.split_at(run_length(text, of_blanks));
    *text = rest;
    run
}

/// End of the last token that is followed by a blank; 0 if there is none.
pub(super) fn last_token_end(block: &[u8]) -> usize {
    let blank = block.iter().rposition(|&byte| is_blank(byte));
    let before = &block[..blank.unwrap_or(0)];
    before.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}

/// The ends of the block count as ends of tokens.
pub(super) fn count_tokens(block: &[u8]) -> u64 {
    // Short enough that a byte can hold the count of one piece.
    const PIECE: usize = 192;
    let Some((&last, _)) = block.split_last() else { return 0 };
    let pieces = block[..block.len() - 1].chunks(PIECE);
    let next = block[1..].chunks(PIECE);
    let ends_in = |piece: &[u8], next: &[u8]| -> u8 {
        let pairs = piece.iter().zip(next);
        pairs.map(|(&byte, &next)| u8::from(!is_blank(byte) & is_blank(next))).sum()
    };
    let inner: u64 = pieces.zip(next).map(|(piece, next)| u64::from(ends_in(piece, next))).sum();
    inner + u64::from(!is_blank(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_blanks_and_no_other_byte_separate_tokens() {
        let blanks: Vec<u8> = (0..=255).filter(|&byte| is_blank(byte)).collect();
        assert_eq!(blanks, [9, 10, 11, 12, 13, 32]);
    }

    proptest::proptest! {
        #[test]
        fn fast_loops_agree_with_plain_ones(
            left in proptest::collection::vec(proptest::sample::select(b"aA \n".to_vec()), 0..600),
            token in 0..600_usize,
            change in 0..600_usize,
        ) {
            let left = [&b"a".repeat(token), &left[..]].concat();
            let mut right = left.clone();
            if let Some(byte) = right.get_mut(change) {
                *byte = b'A';
            }
            let plain = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
            proptest::prop_assert_eq!(common_prefix(&left, &right), plain);
            let plain = left.iter().zip(&right).take_while(|(l, r)| l.eq_ignore_ascii_case(r)).count();
            proptest::prop_assert_eq!(common_prefix_folded(&left, &right), plain);
            let plain = left.split(|&byte| is_blank(byte)).filter(|token| !token.is_empty()).count();
            proptest::prop_assert_eq!(count_tokens(&left), plain as u64);
            let plain = left.iter().position(|&byte| is_blank(byte)).unwrap_or(left.len());
            proptest::prop_assert_eq!(token_length(&left), plain);
            let plain = (1..left.len()).rev().find(|&end| !is_blank(left[end - 1]) && is_blank(left[end]));
            proptest::prop_assert_eq!(last_token_end(&left), plain.unwrap_or(0));
        }
    }
}
