//! What juror builds instead of a student's file: the code of a notebook, and Java's texts in UTF-8.

use std::path::PathBuf;

use serde_json::Value;

use crate::text::count;
use crate::tree::TreeEntry;

pub(super) struct Conversion {
    /// `None` if the file cannot be converted.
    pub text: Option<Vec<u8>>,
    pub remark: Option<String>,
}

/// Cell magics after which the rest of the cell is still Python.
const PYTHON_MAGICS: [&str; 4] = ["%%time", "%%timeit", "%%capture", "%%prun"];

/// The name of the file that is built instead, and its text. `None` if the file is built as it is.
pub(super) fn convert(file: &TreeEntry) -> Option<(PathBuf, Conversion)> {
    let bytes = file.blob()?.bytes()?;
    let name = file.name.clone();
    match name.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "ipynb" => Some((name.with_extension("py"), convert_notebook(bytes))),
        "java" if str::from_utf8(bytes).is_err() => {
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            let remark = "is not UTF-8; juror reads it as Latin-1, and builds a copy in UTF-8";
            Some((name, Conversion { text: Some(text.into()), remark: Some(remark.to_owned()) }))
        }
        _ => None,
    }
}

/// Source: nbformat 4, "Cell types". The places of lines stay within a cell.
fn convert_notebook(bytes: &[u8]) -> Conversion {
    let fault = |why: String| Conversion {
        text: None,
        remark: Some(format!("is not a notebook that juror can read: {why}")),
    };
    let notebook: Value = match serde_json::from_slice(bytes) {
        Ok(notebook) => notebook,
        Err(error) => return fault(error.to_string()),
    };
    let language = notebook.pointer("/metadata/language_info/name").and_then(Value::as_str);
    if let Some(other) = language.filter(|name| *name != "python") {
        return fault(format!("its language is {other}, not Python"));
    }
    let Some(cells) = notebook["cells"].as_array() else {
        return fault("it has no list `cells`; save it in the format 4".to_owned());
    };
    let code = cells.iter().filter(|cell| cell["cell_type"] == "code");
    let texts = code.map(|cell| match &cell["source"] {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_owned(),
    });
    let (mut left_out, mut text) = (0, String::new());
    for cell in texts {
        let first = cell.split_whitespace().next().unwrap_or_default();
        let is_foreign = first.starts_with("%%") && !PYTHON_MAGICS.contains(&first);
        for line in cell.lines() {
            let code = line.trim_start();
            if is_foreign || is_command(code) {
                left_out += 1;
                // Something may have to be in a block.
                let indent = if is_foreign { "" } else { &line[..line.len() - code.len()] };
                text += &format!("{indent}pass\n");
            } else {
                text.extend([line, "\n"]);
            }
        }
    }
    let lines = count(left_out, "line");
    let remark = format!("is a notebook; its code runs without {lines} of magics or the shell");
    Conversion { text: Some(text.into()), remark: (left_out > 0).then_some(remark) }
}

/// Whether IPython, not Python, reads a line: a magic, a command of the shell, or a question.
fn is_command(code: &str) -> bool {
    let magic = code.strip_prefix("%%").or_else(|| code.strip_prefix('%'));
    magic.is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_alphabetic()))
        || (code.starts_with('!') && !code.starts_with("!="))
        || code.starts_with('?')
        || (code.trim_end().ends_with('?') && !code.contains(['#', '"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Node;

    #[test]
    fn a_notebook_is_its_code_and_java_is_recoded() {
        let check = |name: &str, bytes: &[u8], expected: Option<(&str, Option<&str>, &str)>| {
            let found = convert(&TreeEntry::new(name, Node::plain(bytes)));
            let found = found.map(|(name, conversion)| {
                let text = conversion.text.map(|text| String::from_utf8(text).expect("UTF-8"));
                (name.display().to_string(), text, conversion.remark.unwrap_or_default())
            });
            let found = found.as_ref();
            let found = found.map(|(name, text, remark)| (&**name, text.as_deref(), &**remark));
            match (found, expected) {
                (Some(found), Some(expected)) => {
                    assert_eq!((found.0, found.1), (expected.0, expected.1), "{name}");
                    assert!(found.2.contains(expected.2), "{}", found.2);
                }
                (found, expected) => assert_eq!(found, expected, "{name}"),
            }
        };
        let notebook = |cells: &[(&str, &str)]| {
            let cell = |(kind, text): &(&str, &str)| serde_json::json!({"cell_type": kind, "source": text.split_inclusive('\n').collect::<Vec<_>>()});
            let cells: Vec<Value> = cells.iter().map(cell).collect();
            serde_json::json!({ "cells": cells, "nbformat": 4 }).to_string()
        };
        let plain = notebook(&[("markdown", "# Sum"), ("code", "a = 1\n"), ("code", "print(a)")]);
        check("d/a.ipynb", plain.as_bytes(), Some(("d/a.py", Some("a = 1\nprint(a)\n"), "")));
        let magics = notebook(&[
            (
                "code",
                "%matplotlib inline\n!pip install x\nprint?\nif 1:\n    %cd x\nx = (5\n  % 2)",
            ),
            ("code", "%%bash\nls"),
            ("code", "%%time\ny = 1\nz = (1\n!= 2)"),
        ]);
        let text = "pass\npass\npass\nif 1:\n    pass\nx = (5\n  % 2)\npass\npass\npass\ny = 1\nz = (1\n!= 2)\n";
        let remark = "its code runs without 7 lines of magics or the shell";
        check("a.ipynb", magics.as_bytes(), Some(("a.py", Some(text), remark)));
        let one = br#"{"cells": [{"cell_type": "code", "source": "x = 1"}]}"#;
        check("a.ipynb", one, Some(("a.py", Some("x = 1\n"), "")));
        let fault = "is not a notebook that juror can read: ";
        check("a.ipynb", b"{", Some(("a.py", None, fault)));
        check("a.ipynb", b"{}", Some(("a.py", None, "it has no list `cells`")));
        let other = br#"{"cells": [], "metadata": {"language_info": {"name": "R"}}}"#;
        check("a.ipynb", other, Some(("a.py", None, "its language is R")));
        check("A.java", b"// M\xfcller", Some(("A.java", Some("// M\u{fc}ller"), "Latin-1")));
        check("A.java", "// M\u{fc}ller".as_bytes(), None);
        check("a.py", b"# M\xfcller", None);
    }
}
