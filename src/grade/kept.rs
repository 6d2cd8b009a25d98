//! The file of kept outputs: for each result, what it takes to judge the line again without running its program.
//!
//! Each record is a JSON object in a gzip member of its own, so that a killed process leaves whole records. A long text
//! is written once: later records refer to it by its SHA-256. Writer and reader forget texts by the same rule, so both
//! need bounded memory, and a file is read from its beginning.

use std::collections::HashMap;
use std::io::{self, Seek};
use std::mem;
use std::path::Path;

use serde_json::{Map as Object, Value};
use sha2::{Digest as _, Sha256};

use crate::grade::kept_line::KeptLine;
use crate::grade::results::{EarlierResults, ExistingContent, FileTail, ResultsFault, ResultsFile};
use juror_core::text::hex;
use juror_packages::package::archive::members::{read_member, write_member};

/// The extra field of each member (RFC 1952, section 2.3.1.1): identifier, length, version of the records.
const MARK: &[u8] = b"JR\x01\x00\x01";
/// Shorter texts are written in place. In bytes.
const SHORT: usize = 128;
const REFERENCE: &str = "sha256:";
/// If more texts are known, in bytes with what each takes besides, the next record knows none.
const MOST_TEXT: usize = 32 << 20;
const TEXT_OVERHEAD: usize = 256;
/// The key of new texts in a record, by digest.
const TEXTS: &str = "texts";

/// The texts that the next record may refer to.
#[derive(Default)]
pub struct KnownTexts {
    texts: HashMap<String, Value>,
    size: usize,
}

impl KnownTexts {
    fn begin_record(&mut self) {
        if self.size > MOST_TEXT {
            *self = Self::default();
        }
    }

    fn add(&mut self, digest: String, text: Value) {
        self.size += TEXT_OVERHEAD + text.as_str().map_or(0, str::len);
        self.texts.insert(digest, text);
    }

    /// Adds new texts to the record, and puts references in place of all long ones.
    fn shorten(&mut self, record: &mut Value) {
        self.begin_record();
        let mut own = Object::new();
        each_text(record, &mut |text| {
            let Value::String(long) = &*text else { return };
            if long.len() >= SHORT || long.starts_with(REFERENCE) {
                let digest = hex(&Sha256::digest(long));
                let long = mem::replace(text, format!("{REFERENCE}{digest}").into());
                if !self.texts.contains_key(&digest) {
                    own.insert(digest.clone(), long.clone());
                    self.add(digest, long);
                }
            }
        });
        record[TEXTS] = own.into();
    }

    /// Puts the texts back. A text that is not known leaves `null`.
    fn restore(&mut self, record: &mut Value) {
        self.begin_record();
        if let Value::Object(own) = record[TEXTS].take() {
            own.into_iter().for_each(|(digest, text)| self.add(digest, text));
        }
        each_text(record, &mut |text| {
            if let Some(digest) = text.as_str().and_then(|text| text.strip_prefix(REFERENCE)) {
                *text = self.texts.get(digest).cloned().unwrap_or_default();
            }
        });
    }

    /// The record with its texts, as JSON. `None` if it is not one.
    pub fn restore_line(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        let mut record: Value = serde_json::from_slice(text).ok().filter(Value::is_object)?;
        self.restore(&mut record);
        serde_json::to_vec(&record).ok()
    }
}

fn each_text(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::String(_) => change(value),
        Value::Array(all) => all.iter_mut().for_each(|one| each_text(one, change)),
        Value::Object(all) => all.values_mut().for_each(|one| each_text(one, change)),
        _ => {}
    }
}

/// The open file, to which records are added in the order of the results.
pub struct KeptOutputs {
    file: ResultsFile,
    texts: KnownTexts,
}

impl KeptOutputs {
    /// Opens or creates the file. A last record whose result was not written is removed later, as is half a record.
    ///
    /// # Errors
    /// If it has other content, or is in use.
    pub fn open(
        path: &Path,
        content: ExistingContent,
        earlier: &EarlierResults,
    ) -> Result<Self, ResultsFault> {
        let mut texts = KnownTexts::default();
        let file = ResultsFile::open_with(path, content, |from| {
            let (mut length, mut records) = (0, 0);
            loop {
                let wrong =
                    |error: &dyn ToString| ResultsFault::NotKept(records + 1, error.to_string());
                let text = read_member(MARK, records == 0, from).map_err(|error| wrong(&error))?;
                let Some(text) = text else { break };
                let mut record: Value =
                    serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
                if !record["line"].as_u64().is_some_and(|line| earlier.contains(line)) {
                    match read_member(MARK, false, from).map_err(|error| wrong(&error))? {
                        Some(_) => return Err(ResultsFault::OtherResults),
                        None => break,
                    }
                }
                texts.restore(&mut record);
                records += 1;
                length = from.stream_position()?;
            }
            if records != earlier.remaining() {
                return Err(ResultsFault::OtherResults);
            }
            let is_whole = length == from.get_ref().metadata()?.len();
            Ok((length, if is_whole { FileTail::Empty } else { FileTail::Half }))
        })?;
        Ok(Self { file, texts })
    }

    /// Adds a record. If that fails, only whole records stay in the file.
    ///
    /// # Errors
    /// If it cannot be written, or an earlier one not be stored.
    pub fn add(&mut self, line: &KeptLine) -> io::Result<()> {
        let mut record = serde_json::to_value(line)?;
        self.texts.shorten(&mut record);
        self.file.add(&write_member(MARK, format!("{record}\n").as_bytes())?)
    }

    /// Waits until all records are on disk.
    ///
    /// # Errors
    /// If they cannot be stored.
    pub fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also records that know none of the texts before.
    #[test]
    fn records_are_read_as_they_were_written_with_bounded_memory() {
        let long = |number: usize| format!("{number:02}").repeat(3 << 19);
        let (mut writer, mut reader) = (KnownTexts::default(), KnownTexts::default());
        let check = |writer: &mut KnownTexts, reader: &mut KnownTexts, texts: &[&str]| {
            let record = serde_json::json!({ "line": 1.5, "deep": [{ "texts": texts }] });
            let mut shortened = record.clone();
            writer.shorten(&mut shortened);
            let new = shortened[TEXTS].as_object().map_or(0, Object::len);
            let restored = reader.restore_line(shortened.to_string().as_bytes()).expect("a record");
            let mut restored: Value = serde_json::from_slice(&restored).expect("JSON");
            assert!(restored[TEXTS].take().is_null());
            restored.as_object_mut().expect("an object").remove(TEXTS);
            assert!(restored == record, "{texts:?}");
            assert_eq!(writer.size, reader.size);
            assert!(writer.size <= MOST_TEXT + (4 << 20));
            new
        };
        let mut check = |texts: &[&str]| check(&mut writer, &mut reader, texts);
        let line = "x".repeat(SHORT);
        assert_eq!(check(&["", "short", "sha256:", "sha256:x"]), 2);
        assert_eq!(check(&[&line, &line, "sha256:x"]), 1);
        assert_eq!(check(&[&line[1..], &line]), 0);
        for number in 0..30 {
            check(&[&long(number)]);
        }
        assert_eq!(check(&[&line, "sha256:"]), 2, "they were forgotten, and are written again");
        assert_eq!(KnownTexts::default().restore_line(b"[1]"), None);
        assert_eq!(
            KnownTexts::default().restore_line(b"{\"a\":\"sha256:1\"}"),
            Some(b"{\"a\":null,\"texts\":null}".to_vec())
        );
    }
}
