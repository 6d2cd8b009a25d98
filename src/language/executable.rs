//! What a ready executable is: a binary for this machine, or a script for an interpreter.

use std::path::{Path, PathBuf};

use crate::language::fault::ProgramFault;

/// What the first bytes of a file say about starting it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executable {
    /// A binary.
    Binary {
        /// The loader that it asks for; `None` for a static one.
        loader: Option<PathBuf>,
    },
    /// A script with a `#!` line.
    Script(Shebang),
}

/// The `#!` line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shebang {
    /// The interpreter: a path, or a name to be looked for, if the line goes through `env`.
    pub interpreter: String,
    /// The arguments before the script's own name.
    pub arguments: Vec<String>,
}

/// Reads what a file says about starting it; `None` if it is neither a binary nor a script.
///
/// Source: ELF-64 object file format 1.5; `execve(2)` for `#!`.
pub fn inspect(bytes: &[u8]) -> Result<Option<Executable>, ProgramFault> {
    if bytes.starts_with(b"\x7fELF") {
        return elf(bytes).map(Some);
    }
    let script = bytes.strip_prefix(b"#!").map(shebang).transpose()?;
    Ok(script.map(Executable::Script))
}

/// Says that a file lacks the `x` bit.
pub(super) fn not_executable(path: &Path) -> ProgramFault {
    let help = format!("run `chmod +x {}`", path.display());
    ProgramFault::new("is not executable", help)
}

/// Reads the line after `#!`; `env` and its `-S` are taken apart, as the name behind them counts.
fn shebang(rest: &[u8]) -> Result<Shebang, ProgramFault> {
    let line = rest.split(|it| *it == b'\n').next().unwrap_or_default();
    if line.ends_with(b"\r") {
        let message =
            "has a `#!` line that ends with a carriage return, so its interpreter is not found";
        return Err(ProgramFault::new(message, "convert it with `sed -i 's/\\r$//'`"));
    }
    let line = String::from_utf8_lossy(line);
    let line = line.trim_matches([' ', '\t']);
    let (interpreter, argument) = match line.split_once([' ', '\t']) {
        Some((interpreter, argument)) => (interpreter, argument.trim_start_matches([' ', '\t'])),
        None => (line, ""),
    };
    if interpreter.is_empty() {
        let message = "has an empty `#!` line";
        return Err(ProgramFault::new(message, "name the interpreter there"));
    }
    if Path::new(interpreter).file_name().is_some_and(|it| it == "env") {
        let split = argument.strip_prefix("-S").map(str::split_whitespace);
        let mut words = match split {
            Some(words) => words.map(str::to_owned).collect(),
            None => vec![argument.to_owned()],
        };
        // `env A=1 name` and other options than -S are for env itself: it is started as it stands.
        let plain = words
            .first()
            .is_some_and(|it| !it.is_empty() && !it.starts_with('-') && !it.contains('='));
        if plain {
            let interpreter = words.remove(0);
            return Ok(Shebang { interpreter, arguments: words });
        }
    }
    let arguments = if argument.is_empty() { Vec::new() } else { vec![argument.to_owned()] };
    Ok(Shebang { interpreter: interpreter.to_owned(), arguments })
}

fn elf(bytes: &[u8]) -> Result<Executable, ProgramFault> {
    let cut_short = || ProgramFault::new("is an ELF binary that is cut short", "copy it again");
    let machine = number(bytes, 18, 2).ok_or_else(cut_short)?;
    let ours = std::env::consts::ARCH;
    let theirs = machine_name(machine);
    if theirs != ours && (theirs, ours) != ("x86", "x86_64") {
        let message = format!("is a binary for {theirs}, but this machine is {ours}");
        return Err(ProgramFault::new(message, "build it here"));
    }
    if !matches!(number(bytes, 16, 2), Some(2 | 3)) {
        return Err(ProgramFault::new("is an object file, not a program", "link it first"));
    }
    // The loaders of 32-bit programs lie in the system's directories, which every program sees.
    let is_wide = bytes.get(4) == Some(&2);
    let loader = if is_wide { loader(bytes).ok_or_else(cut_short)? } else { None };
    Ok(Executable::Binary { loader })
}

/// The loader that a 64-bit binary asks for, if it asks for one; `None` if the file is cut short.
fn loader(bytes: &[u8]) -> Option<Option<PathBuf>> {
    const PT_INTERP: usize = 3;
    let (table, size) = (number(bytes, 32, 8)?, number(bytes, 54, 2)?);
    for index in 0..number(bytes, 56, 2)? {
        let entry = table.checked_add(index * size)?;
        if number(bytes, entry, 4)? == PT_INTERP {
            let start = number(bytes, entry.checked_add(8)?, 8)?;
            let end = start.checked_add(number(bytes, entry.checked_add(32)?, 8)?)?;
            let loader = bytes.get(start..end)?;
            let loader = String::from_utf8_lossy(loader.strip_suffix(b"\0").unwrap_or(loader));
            return Some(Some(PathBuf::from(loader.as_ref())));
        }
    }
    Some(None)
}

/// A number that is stored with its lowest byte first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(length)?)?.iter().rev();
    usize::try_from(field.fold(0_u64, |number, byte| number << 8 | u64::from(*byte))).ok()
}

/// The name that Rust has for a machine of the ELF format.
fn machine_name(machine: usize) -> &'static str {
    match machine {
        3 => "x86",
        40 => "arm",
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv64",
        _ => "another machine",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], shown: &str) {
        let said = match inspect(bytes) {
            Ok(None) => "no program".to_owned(),
            Ok(Some(Executable::Binary { loader: None })) => "static binary".to_owned(),
            Ok(Some(Executable::Binary { loader: Some(loader) })) => {
                format!("binary for {}", loader.display())
            }
            Ok(Some(Executable::Script(it))) => format!("{} {:?}", it.interpreter, it.arguments),
            Err(fault) => fault.to_string(),
        };
        assert_eq!(said, shown, "{:?}", String::from_utf8_lossy(bytes));
    }

    /// A 64-bit header with one program header of this type, whose text follows.
    fn header(kind: u8, machine: u8, segment: u8, text: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 120];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[16] = kind;
        bytes[18] = machine;
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = segment;
        bytes[72] = 120;
        bytes[96] = text.len() as u8;
        bytes.extend_from_slice(text);
        bytes
    }

    #[test]
    fn a_script_names_its_interpreter() {
        check(b"#!/bin/sh\necho", "/bin/sh []");
        check(b"#! /usr/bin/perl -w -T\n", "/usr/bin/perl [\"-w -T\"]");
        check(b"#!/usr/bin/env python3\n", "python3 []");
        check(b"#!/usr/bin/env -S python3 -u -B\n", "python3 [\"-u\", \"-B\"]");
        check(b"#!/usr/bin/env -i sh\n", "/usr/bin/env [\"-i sh\"]");
        check(b"#!/usr/bin/env -S A=1 sh\n", "/usr/bin/env [\"-S A=1 sh\"]");
        check(b"#!/bin/sh", "/bin/sh []");
    }

    #[test]
    fn a_script_that_cannot_start_says_why() {
        check(
            b"#!/bin/sh\r\necho",
            "has a `#!` line that ends with a carriage return, so its interpreter is not found; \
             convert it with `sed -i 's/\\r$//'`",
        );
        check(b"#!  \n", "has an empty `#!` line; name the interpreter there");
        check(b"hello", "no program");
        check(b"", "no program");
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_binary_tells_its_machine_and_loader() {
        check(&header(2, 62, 1, b""), "static binary");
        check(&header(3, 62, 3, b"/lib/ld.so\0"), "binary for /lib/ld.so");
        check(
            &header(3, 183, 3, b""),
            "is a binary for aarch64, but this machine is x86_64; build it here",
        );
        check(
            &header(3, 99, 3, b""),
            "is a binary for another machine, but this machine is x86_64; build it here",
        );
        check(&header(1, 62, 0, b""), "is an object file, not a program; link it first");
    }

    #[test]
    fn a_binary_cut_anywhere_is_an_error_and_no_crash() {
        let whole = header(3, 62, 3, b"/lib/ld.so\0");
        for length in 4..whole.len() {
            assert!(inspect(&whole[..length]).is_err(), "{length}");
        }
        let mut wild = whole;
        wild[32..40].fill(0xff);
        assert!(inspect(&wild).is_err());
    }
}
