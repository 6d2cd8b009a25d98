//! Unpacks tests that a data set has as a text: base64 of zlib of a pickle of a text.
//!
//! Nothing in a pickle is executed: only the opcodes that hold one text are read, and every other one is a fault.
//!
//! Source: `pickletools` of Python 3.14, protocols 0 to 5.

use std::io::{self, BufReader, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::grade::fault::LineFault;
use crate::grade::reader::LONGEST_LINE;
use juror_core::units::Bytes;
use juror_packages::package::archive::inflated;

/// In bytes.
const LONGEST_TEXT: u64 = 4 * LONGEST_LINE as u64;

/// The first two letters of base64 of zlib, by its level.
const STARTS: [&str; 4] = ["eA", "eF", "eJ", "eN"];

/// Each opcode below 128, with its name.
const NAMES: &str = "( MARK 0 POP 1 POP_MARK 2 DUP F FLOAT I INT J BININT K BININT1 L LONG M BININT2 N NONE \
    P PERSID Q BINPERSID R REDUCE S STRING T BINSTRING U SHORT_BINSTRING V UNICODE a APPEND b BUILD c GLOBAL d DICT \
    } EMPTY_DICT e APPENDS g GET h BINGET i INST j LONG_BINGET l LIST ] EMPTY_LIST o OBJ p PUT s SETITEM t TUPLE \
    ) EMPTY_TUPLE u SETITEMS G BINFLOAT B BINBYTES C SHORT_BINBYTES";

/// From 128 on.
const LATER_NAMES: &str = "PROTO NEWOBJ EXT1 EXT2 EXT4 TUPLE1 TUPLE2 TUPLE3 NEWTRUE NEWFALSE LONG1 LONG4 \
    SHORT_BINUNICODE BINUNICODE8 BINBYTES8 EMPTY_SET ADDITEMS FROZENSET NEWOBJ_EX STACK_GLOBAL MEMOIZE FRAME \
    BYTEARRAY8 NEXT_BUFFER READONLY_BUFFER";

/// No JSON begins like this.
pub(super) fn is_packed(text: &str) -> bool {
    STARTS.iter().any(|start| text.starts_with(start))
}

pub(super) fn unpack(packed: &str) -> Result<String, LineFault> {
    let bytes = STANDARD.decode(packed.trim_end());
    let bytes = bytes.map_err(|error| fault(&format!("are not base64: {error}")))?;
    let mut pickle = Pickle { from: BufReader::new(inflated(&*bytes)), offset: 0 };
    pickle.text()
}

fn fault(what: &str) -> LineFault {
    let help = "write the tests as JSON; juror unpacks base64 of zlib of a pickle of one text, and executes nothing";
    LineFault::of_line(format!("packed tests {what}"), help)
}

struct Pickle<R> {
    from: R,
    offset: u64,
}

impl<R: Read> Pickle<R> {
    fn text(&mut self) -> Result<String, LineFault> {
        let mut text = None;
        loop {
            let at = self.offset;
            let opcode = self.number(1)? as u8;
            let width = match opcode {
                // PROTO, FRAME, BINPUT, LONG_BINPUT, MEMOIZE: nothing that decides the text.
                0x80 | b'q' => self.number(1).map(|_| None)?,
                0x95 => self.number(8).map(|_| None)?,
                b'r' => self.number(4).map(|_| None)?,
                0x94 => None,
                0x8c => Some(1),
                b'X' => Some(4),
                0x8d => Some(8),
                b'.' => break,
                _ => {
                    let name = opcode_name(opcode);
                    let what = format!("have the opcode {name} at byte {at} of their pickle");
                    return Err(fault(&what));
                }
            };
            let Some(width) = width else { continue };
            let length = self.number(width)?;
            if text.is_some() {
                return Err(fault(&format!("have a second text at byte {at} of their pickle")));
            }
            text = Some(self.bytes(length)?);
        }
        if self.from.read(&mut [0]).map_err(|error| damaged(&error))? > 0 {
            return Err(fault(&format!("go on after byte {} of their pickle", self.offset)));
        }
        let text = text.ok_or_else(|| fault("have no text"))?;
        String::from_utf8(text).map_err(|error| fault(&format!("are not UTF-8: {error}")))
    }

    /// A number in this many bytes, at most 8.
    fn number(&mut self, width: usize) -> Result<u64, LineFault> {
        let mut bytes = [0; 8];
        self.from.read_exact(&mut bytes[..width]).map_err(|error| damaged(&error))?;
        self.offset += width as u64;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Memory grows only with what is really there.
    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, LineFault> {
        if length > LONGEST_TEXT {
            let (most, length) = (Bytes(LONGEST_TEXT), Bytes(length));
            return Err(fault(&format!("have {length} of text, more than {most}")));
        }
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(length).read_to_end(&mut bytes);
        self.offset += read.map_err(|error| damaged(&error))? as u64;
        let is_whole = bytes.len() as u64 == length;
        if is_whole { Ok(bytes) } else { Err(damaged(&io::ErrorKind::UnexpectedEof.into())) }
    }
}

fn damaged(error: &io::Error) -> LineFault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => fault("end too early"),
        _ => fault(&format!("are damaged: {error}")),
    }
}

fn opcode_name(opcode: u8) -> String {
    let mut words = NAMES.split_whitespace();
    let later = |index: u8| LATER_NAMES.split_whitespace().nth(index.into());
    let name = match opcode.checked_sub(128) {
        Some(index) => later(index),
        None => words.find(|word| word.as_bytes() == [opcode]).and_then(|_| words.next()),
    };
    name.map_or_else(|| format!("{opcode:#04x}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn pack(pickle: &[u8]) -> String {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(pickle).unwrap();
        STANDARD.encode(zlib.finish().unwrap())
    }

    /// What is unpacked, or how the message begins after `!packed tests `.
    fn check(packed: &str, expected: &str) {
        let found = unpack(packed).unwrap_or_else(|fault| format!("!{}", fault.message));
        let expected = expected.replace('!', "!packed tests ");
        let is_right = if expected.starts_with('!') {
            found.starts_with(&expected)
        } else {
            found == expected
        };
        assert!(is_right, "{found}\ninstead of {expected}");
    }

    #[test]
    fn a_pickle_that_holds_one_text_is_unpacked() {
        for pickle in [
            &b"\x80\x04\x95\x06\0\0\0\0\0\0\0\x8c\x02[]\x94."[..],
            b"\x80\x03X\x02\0\0\0[]q\0.",
            b"\x80\x02X\x02\0\0\0[]r\0\0\0\0.",
            b"\x80\x05\x8d\x02\0\0\0\0\0\0\0[].",
        ] {
            check(&pack(pickle), "[]");
            assert!(is_packed(&pack(pickle)));
        }
        let long = "x".repeat(100_000);
        let length = u32::try_from(long.len()).unwrap().to_le_bytes();
        check(&pack(&[b"\x80\x04X", &length[..], long.as_bytes(), b"\x94."].concat()), &long);
    }

    #[test]
    fn any_other_pickle_is_refused_and_nothing_is_executed() {
        check(&pack(b"cos\nsystem\n(S'id'\ntR."), "!have the opcode GLOBAL at byte 0 of");
        check(&pack(b"\x80\x04\x8c\x02os\x8c\x06system\x93."), "!have a second text at byte 6 of");
        check(&pack(b"\x80\x04\x8c\x02[]\x93."), "!have the opcode STACK_GLOBAL at byte 6 of");
        check(&pack(b"\x80\x04\x8c\x02[]R."), "!have the opcode REDUCE at byte 6 of");
        check(&pack(b"\x80\x04]."), "!have the opcode EMPTY_LIST at byte 2 of");
        check(&pack(b"\x80\x04\xff."), "!have the opcode 0xff at byte 2 of");
        check(&pack(b"\x80\x04."), "!have no text");
        check(&pack(b"\x80\x04\x8c\x02[]..x"), "!go on after byte 7 of");
        check(&pack(b"\x80\x04\x8c\x09[]."), "!end too early");
        check(&pack(b"\x80\x04\x8c\x02\xff\xff."), "!are not UTF-8");
        check(&pack(b""), "!end too early");
        check("eJ!", "!are not base64");
        check("eJz/////", "!are damaged");
        check(&pack(b"\x80\x04\x8c\x02[].")[..12], "!end too early");
    }

    /// Ten gigabytes are refused by their length. If they hide it, they are not read.
    #[test]
    fn what_unpacks_to_more_than_the_bound_is_refused() {
        let huge = 10_000_000_000_u64.to_le_bytes();
        check(
            &pack(&[b"\x80\x04\x8d", &huge[..]].concat()),
            "!have 9.31 GiB of text, more than 256 MiB",
        );
        let zeros = vec![0; 64 << 20];
        check(
            &pack(&[b"\x80\x04\x8c\x01x", &zeros[..]].concat()),
            "!have the opcode 0x00 at byte 5 of",
        );
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(pickle in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40)) {
            let _ = unpack(&pack(&pickle));
            let _ = unpack(&String::from_utf8_lossy(&pickle));
        }
    }
}
