//! Members of a gzip file, each with a mark that says who wrote it. After a crash, only the last one may be incomplete.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};

/// A member with this text and this mark.
///
/// # Errors
/// Never: it is in memory.
pub fn write_member(mark: &[u8], text: &[u8]) -> io::Result<Vec<u8>> {
    let mut member = GzBuilder::new().extra(mark).write(Vec::new(), Compression::fast());
    member.write_all(text)?;
    member.finish()
}

/// Reads the next member, and nothing after it. `None` at the end, or if the rest is half a member.
///
/// # Errors
/// If it is not a member with this mark, or damaged.
pub fn read_member(
    mark: &[u8],
    is_first: bool,
    from: &mut impl BufRead,
) -> io::Result<Option<Vec<u8>>> {
    if from.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let (mut member, mut text) = (GzDecoder::new(from), Vec::new());
    let read = member.read_to_end(&mut text);
    // Without a header, it may be the beginning of any file.
    let is_marked = member.header().map_or(!is_first, |header| header.extra() == Some(mark));
    match read {
        Ok(_) if is_marked => Ok(Some(text)),
        Err(error) if is_marked && error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) if is_marked => Err(error),
        _ => Err(ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn members_are_read_up_to_a_cut_and_others_are_refused() {
        let member = |mark: &[u8], text: &str| write_member(mark, text.as_bytes()).expect("memory");
        let ours = [member(b"us", "one"), member(b"us", ""), member(b"us", "three")].concat();
        let read = |bytes: &[u8], capacity: usize| {
            let mut from = BufReader::with_capacity(capacity, bytes);
            let mut all = Vec::new();
            while let Some(text) = read_member(b"us", all.is_empty(), &mut from)? {
                all.push(String::from_utf8_lossy(&text).into_owned());
            }
            Ok::<_, io::Error>(all)
        };
        let is_read = |bytes, capacity, expected: &[String]| {
            assert_eq!(read(bytes, capacity).expect("members"), expected);
        };
        let texts = ["one", "", "three"].map(str::to_owned);
        let two = member(b"us", "one").len() + member(b"us", "").len();
        for capacity in [1, 7, 1000] {
            is_read(&ours, capacity, &texts);
            (two..ours.len()).for_each(|cut| is_read(&ours[..cut], capacity, &texts[..2]));
            let mut damaged = ours.clone();
            damaged[two - 5] ^= 1;
            let others = [
                member(b"they", "one"),
                [member(b"us", "one"), member(b"they", "two")].concat(),
                b"text\n".to_vec(),
                ours[..8].to_vec(),
                damaged,
            ];
            for other in others {
                assert!(read(&other, capacity).is_err(), "{other:?}");
            }
        }
    }
}
