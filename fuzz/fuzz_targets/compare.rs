//! The default output validator on options, and between zero bytes a judge answer and an output.
#![no_main]

use std::io::Cursor;

use juror_core::check::compare::compare;
use juror_core::check::diff::diff;
use juror_core::check::float::Tolerance;
use juror_core::check::options::Options;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((bits, texts)) = data.split_first() else { return };
    let end = texts.iter().position(|byte| *byte == 0).unwrap_or(texts.len());
    let (answer, output) = (&texts[..end], texts.get(end + 1..).unwrap_or_default());
    let bit = |index: u8| bits >> index & 1 == 1;
    let absolute = bit(3).then_some(1e-3);
    let relative = bit(4).then_some(1e-6);
    let has_tolerance = absolute.is_some() || relative.is_some();
    let options = Options {
        case_sensitive: bit(0),
        space_change_sensitive: bit(1),
        line_sensitive: bit(2),
        tolerance: has_tolerance.then_some(Tolerance { absolute, relative }),
    };
    let is_accepted = |answer: &[u8], output: &[u8], options: &Options| {
        let found = compare(Cursor::new(answer), Cursor::new(output), options);
        let Some(difference) = found.expect("memory can be read") else { return true };
        diff(&mut Cursor::new(answer), &mut Cursor::new(output), &difference, options)
            .expect("memory can be read");
        false
    };
    assert!(is_accepted(answer, answer, &options), "a text differs from itself");
    let accepted = is_accepted(answer, output, &options);
    if accepted {
        assert!(is_accepted(answer, output, &Options { case_sensitive: false, ..options }));
        assert!(is_accepted(answer, output, &Options { space_change_sensitive: false, ..options }));
        assert!(is_accepted(answer, output, &Options { line_sensitive: false, ..options }));
    }
    let text = Options { tolerance: None, ..options };
    assert_eq!(is_accepted(answer, output, &text), is_accepted(output, answer, &text));
});
