//! Takes tests in Python apart: `assert f(LITERALS) == LITERAL` becomes a call with its arguments and its answer.
//!
//! Values are JSON in which nothing of Python is lost: `{"tuple": [...]}` is a tuple, and `{"dict": {...}}` a dictionary.
//!
//! Source: The Python Language Reference, "Literals", "Displays".

use std::iter::Peekable;
use std::str::Chars;

use serde_json::Value;
use serde_json::value::RawValue;

/// A call with its arguments, and what it must return, both as JSON.
pub type AssertedCall = (String, String);

/// The function that all asserts of a test call, and their calls.
///
/// A test is a list of asserts, or a function `check` that has only asserts. `None` if it has anything else.
pub fn take_apart(test: &str) -> Option<(String, Vec<AssertedCall>)> {
    let mut reader = Reader { rest: test.chars().peekable() };
    let mut function: Option<String> = None;
    let mut calls = Vec::new();
    loop {
        reader.skip_lines();
        let Some(word) = reader.word() else { break };
        match &*word {
            "assert" => {}
            "def" => {
                let is_check =
                    reader.word()? == "check" && reader.sign('(') && reader.word().is_some();
                if !is_check || !reader.sign(')') || !reader.sign(':') || !calls.is_empty() {
                    return None;
                }
                continue;
            }
            "METADATA" if reader.sign('=') => {
                reader.value()?;
                continue;
            }
            "pass" => continue,
            _ => return None,
        }
        let name = reader.word()?;
        if name == "True" {
            reader.message()?;
            continue;
        }
        let arguments = reader.call()?;
        if !reader.sign('=') || reader.rest.next() != Some('=') {
            return None;
        }
        let answer = reader.value()?;
        reader.message()?;
        if function.get_or_insert_with(|| name.clone()) != &name {
            return None;
        }
        calls.push((format!("[{}]", arguments.join(",")), answer));
    }
    let is_read = reader.rest.peek().is_none();
    function.filter(|_| is_read).map(|function| (function, calls))
}

/// Reads a text from its beginning.
struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        while self.rest.next_if(|sign| *sign == ' ' || *sign == '\t').is_some() {}
    }

    /// Blanks, line ends and comments.
    fn skip_lines(&mut self) {
        while let Some(&sign) = self.rest.peek() {
            if sign == '#' {
                while self.rest.next_if(|sign| *sign != '\n').is_some() {}
            } else if !sign.is_whitespace() && sign != ';' {
                break;
            } else {
                self.rest.next();
            }
        }
    }

    fn sign(&mut self, sign: char) -> bool {
        self.skip_blanks();
        self.rest.next_if_eq(&sign).is_some()
    }

    fn word(&mut self) -> Option<String> {
        self.skip_blanks();
        let mut word = String::new();
        while let Some(letter) = self.rest.next_if(|sign| sign.is_alphanumeric() || *sign == '_') {
            word.push(letter);
        }
        (!word.is_empty()).then_some(word)
    }

    /// The arguments of a call, from its parenthesis on.
    fn call(&mut self) -> Option<Vec<String>> {
        self.sign('(').then_some(())?;
        Some(self.parts(')')?.0)
    }

    /// The end of an assert: a message may follow.
    fn message(&mut self) -> Option<()> {
        if self.sign(',') {
            self.value()?;
        }
        self.skip_blanks();
        matches!(self.rest.peek(), None | Some('\n' | '\r' | '#' | ';')).then_some(())
    }

    /// Values up to this sign, and whether there is a comma.
    fn parts(&mut self, end: char) -> Option<(Vec<String>, bool)> {
        let (mut all, mut has_comma) = (Vec::new(), false);
        loop {
            self.skip_lines();
            if self.rest.next_if_eq(&end).is_some() {
                return Some((all, has_comma));
            }
            all.push(self.value()?);
            self.skip_lines();
            if self.rest.next_if_eq(&',').is_some() {
                has_comma = true;
            } else if *self.rest.peek()? != end {
                return None;
            }
        }
    }

    /// As JSON.
    fn value(&mut self) -> Option<String> {
        self.skip_blanks();
        match *self.rest.peek()? {
            '[' => {
                self.rest.next();
                Some(format!("[{}]", self.parts(']')?.0.join(",")))
            }
            '(' => {
                self.rest.next();
                let (mut all, has_comma) = self.parts(')')?;
                let is_one = all.len() == 1 && !has_comma;
                if is_one { all.pop() } else { Some(format!(r#"{{"tuple":[{}]}}"#, all.join(","))) }
            }
            '{' => {
                self.rest.next();
                self.dictionary()
            }
            '"' | '\'' => {
                let mut text = String::new();
                while let Some(&quote @ ('"' | '\'')) = self.rest.peek() {
                    text.push_str(&self.text(quote)?);
                    self.skip_blanks();
                }
                Some(Value::from(text).to_string())
            }
            '-' => {
                self.rest.next();
                self.number("-")
            }
            '0'..='9' | '.' => self.number(""),
            _ => match &*self.word()? {
                "None" => Some("null".to_owned()),
                "True" => Some("true".to_owned()),
                "False" => Some("false".to_owned()),
                _ => None,
            },
        }
    }

    /// A dictionary whose keys are texts. A set is no literal that JSON has.
    fn dictionary(&mut self) -> Option<String> {
        let mut all = Vec::new();
        loop {
            self.skip_lines();
            if self.rest.next_if_eq(&'}').is_some() {
                return Some(format!(r#"{{"dict":{{{}}}}}"#, all.join(",")));
            }
            let key = self.value()?;
            key.starts_with('"').then_some(())?;
            self.skip_lines();
            self.rest.next_if_eq(&':')?;
            self.skip_lines();
            all.push(format!("{key}:{}", self.value()?));
            self.skip_lines();
            if self.rest.next_if_eq(&',').is_none() && *self.rest.peek()? != '}' {
                return None;
            }
        }
    }

    /// A text in simple quotes. `None` for the rarer escapes.
    fn text(&mut self, quote: char) -> Option<String> {
        self.rest.next();
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '\n' => return None,
                '\\' => text.push(match self.rest.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    same @ ('\\' | '\'' | '"') => same,
                    _ => return None,
                }),
                sign if sign == quote => {
                    // Three quotes begin another text.
                    let is_long = text.is_empty() && self.rest.peek() == Some(&quote);
                    return (!is_long).then_some(text);
                }
                sign => text.push(sign),
            }
        }
    }

    /// An integer of any size, or a decimal number.
    fn number(&mut self, sign: &str) -> Option<String> {
        self.skip_blanks();
        let mut text = String::new();
        while let Some(letter) =
            self.rest.next_if(|sign| sign.is_alphanumeric() || ['.', '_'].contains(sign))
        {
            text.push(letter);
            if matches!(letter, 'e' | 'E') {
                text.extend(self.rest.next_if(|sign| ['+', '-'].contains(sign)));
            }
        }
        let mut digits = text.replace('_', "");
        if digits.starts_with('.') {
            digits.insert(0, '0');
        }
        if digits.ends_with('.') {
            digits.push('0');
        }
        let digits = digits.replace(".e", ".0e").replace(".E", ".0e");
        let number = format!("{sign}{digits}");
        serde_json::from_str::<&RawValue>(&number).ok()?;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_asserts_are_calls() {
        let check = |test: &str, function: &str, expected: &[(&str, &str)]| {
            let (found, calls) = take_apart(test).expect(test);
            let calls: Vec<(&str, &str)> = calls.iter().map(|(a, b)| (&**a, &**b)).collect();
            assert_eq!((&*found, &calls[..]), (function, expected), "{test}");
        };
        check("assert f(1, 'a') == [1, 2.5]", "f", &[(r#"[1,"a"]"#, "[1,2.5]")]);
        check(
            "assert f() == None, \"no\" # why\nassert f(-1) == True;",
            "f",
            &[("[]", "null"), ("[-1]", "true")],
        );
        let tuples = r#"[{"tuple":[1,2]},3,{"tuple":[4]},{"tuple":[]}]"#;
        check(
            "assert f((1, 2), (3), (4,), ()) == {'a': (1,)}",
            "f",
            &[(tuples, r#"{"dict":{"a":{"tuple":[1]}}}"#)],
        );
        check(
            "assert f([\n  1,\n  2,  # two\n]) == 123456789012345678901234567890",
            "f",
            &[("[[1,2]]", "123456789012345678901234567890")],
        );
        check("assert f('it\\'s' \"\\n\") == .5", "f", &[(r#"["it's\n"]"#, "0.5")]);
        let numbers = "[1000,2.0,1e3,1.0e-3]";
        check("assert f(1_000, 2., 1e3, 1.e-3) == ''", "f", &[(numbers, "\"\"")]);
        let human_eval = "\n\nMETADATA = {\n    'author': 'jt',\n    'dataset': 'test'\n}\n\n\n\
            def check(candidate):\n    # Check some\n    assert candidate([1.0, 2.0], 0.3) == True\n    \
            assert True, \"well\"\n\n";
        check(human_eval, "candidate", &[("[[1.0,2.0],0.3]", "true")]);
    }

    #[test]
    fn other_tests_stay_whole() {
        for test in [
            "",
            "assert True",
            "assert f(1)",
            "assert not f(1)",
            "assert f(1) == g(2)",
            "assert f(1) == x",
            "assert f(x=1) == 2",
            "assert f(1) != 2",
            "assert f(1) == 2 or True",
            "assert f(1) == 2 + 3",
            "assert f(1) == {1, 2}",
            "assert f(1) == {1: 2}",
            "assert f(1) == '''a'''",
            "assert f(1) == 'a\\x41'",
            "assert f(1) == b'a'",
            "assert f(1) == 0x10",
            "assert f(1) == 01",
            "assert f(1) == 2j",
            "assert f(1) == 1\nassert g(1) == 1",
            "import math\nassert f(1) == 1",
            "for x in []:\n    assert f(1) == 1",
            "assert f(1) == 1\ndef check(f):\n    pass",
            "assert f(*[1]) == 1",
            "assert f(1)[0] == 1",
            "assert f([1) == 1",
        ] {
            assert_eq!(take_apart(test), None, "{test}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(test in r#"(assert|f|[()\[\]{},:.'"=\n 1-]|==){0,30}"#) {
            take_apart(&test);
        }
    }
}
