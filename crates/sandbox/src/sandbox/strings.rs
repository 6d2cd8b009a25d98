//! Strings in the form in which `execve` needs them.

use std::ffi::{CString, c_char};
use std::ptr;

use crate::sandbox::fault::Fault;

pub(super) struct ExecStrings {
    /// The last one is null.
    pointers: Vec<*const c_char>,
    texts: Vec<CString>,
}

// SAFETY: the pointers lead to strings that the list itself owns, on the heap, and never changes.
unsafe impl Send for ExecStrings {}
// SAFETY: as above.
unsafe impl Sync for ExecStrings {}

impl ExecStrings {
    pub(super) fn new(texts: impl Iterator<Item = Vec<u8>>) -> Result<Self, Fault> {
        let texts: Vec<CString> = texts
            .map(CString::new)
            .collect::<Result<_, _>>()
            .map_err(|_| Fault::new("start the program", "an argument has a zero byte in it"))?;
        let pointers = texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Ok(Self { pointers, texts })
    }

    pub(super) fn first(&self) -> Option<&CString> {
        self.texts.first()
    }

    /// Ends with a null pointer. Does not allocate.
    pub(super) fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}
