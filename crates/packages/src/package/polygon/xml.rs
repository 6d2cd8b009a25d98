//! Elements of `problem.xml`, which know their place and report their own faults.

use std::fmt::Display;
use std::str::FromStr;

use memchr::{memchr, memmem};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

use crate::package::faults::ReportedFault;
use crate::package::node::ParseResult;
use crate::package::suggest::comma_list;
use crate::package::text::{FileReporter, TextRange, excerpt};
use juror_core::diagnostic::SourcePlace;
use juror_core::units::Bytes;

/// Upper bound on the elements, texts and attributes that are read.
const MAX_NODES: u32 = 1_000_000;

/// Upper bound in bytes on a tag with its attributes: comparing them takes quadratic time.
const MAX_TAG_SIZE: usize = 16 << 10;
/// Upper bound on declarations of name spaces: every tag is checked against all of them. Polygon has none.
const MAX_NAME_SPACES: usize = 16;

/// Reads a file as XML, and reports its fault. A document type is refused, since it can make a small text large.
pub(super) fn parse<'a>(page: FileReporter<'a>) -> Option<Document<'a>> {
    let text = &page.file.text;
    if let Err((at, finding)) = check_bounds(text.as_bytes()) {
        let range = page.file.range(at..at + 1);
        page.error(range, format!("has {finding}, which juror does not read"), "");
        return None;
    }
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let parsed = Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let range = TextRange { line: at.row.max(1), column: at.col.max(1), width: 1 };
        page.error(range, format!("is not valid XML: {error}"), "")
    });
    parsed.ok()
}

/// Checks in one pass that no tag takes long. Returns where one does, in bytes, and what is there.
fn check_bounds(text: &[u8]) -> Result<(), (usize, String)> {
    const WITHOUT_TAGS: [(&[u8], &[u8]); 3] =
        [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];
    let mut name_spaces = 0;
    let mut position = 0;
    while let Some(found) = memchr(b'<', &text[position..]) {
        let start = position + found;
        let rest = &text[start..];
        if let Some((_, end)) = WITHOUT_TAGS.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let Some(length) = memmem::find(rest, end) else { return Ok(()) };
            position = start + length + end.len();
            continue;
        }
        let tag = first_tag(rest);
        if tag.len() > MAX_TAG_SIZE {
            let finding = format!("a tag of more than {}", Bytes(MAX_TAG_SIZE as u64));
            return Err((start, finding));
        }
        name_spaces += memmem::find_iter(tag, b"xmlns").count();
        if name_spaces > MAX_NAME_SPACES {
            let finding = format!("more than {MAX_NAME_SPACES} name spaces");
            return Err((start, finding));
        }
        position = start + tag.len().max(1);
    }
    Ok(())
}

/// The tag at the start of a text. A `>` between quotes does not end it.
fn first_tag(text: &[u8]) -> &[u8] {
    let mut quote = None;
    for (at, byte) in text.iter().enumerate().take(MAX_TAG_SIZE + 1) {
        match (quote, byte) {
            (None, b'>') => return &text[..=at],
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    &text[..text.len().min(MAX_TAG_SIZE + 1)]
}

#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    page: FileReporter<'a>,
}

impl<'a> Element<'a> {
    pub(super) fn root(document: &'a Document<'a>, page: FileReporter<'a>) -> Self {
        Self { node: document.root_element(), page }
    }

    pub(super) fn name(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// The start of its tag.
    pub(super) fn place(self) -> SourcePlace {
        let range = self.node.range();
        let text = &self.page.file.text[range.clone()];
        let length = text.find('>').map_or(text.len(), |end| end + 1);
        self.page.file.place(self.page.file.range(range.start..range.start + length))
    }

    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let elements = self.node.children().filter(|node| node.node_type() == NodeType::Element);
        elements.map(move |node| Self { node, ..self })
    }

    pub(super) fn children_named(self, name: &'static str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.name() == name)
    }

    pub(super) fn child(self, name: &'static str) -> Option<Self> {
        self.children_named(name).next()
    }

    /// The elements of this name in the child elements called `parent`, such as each `test` in `tests`.
    pub(super) fn nested(
        self,
        parent: &'static str,
        name: &'static str,
    ) -> impl Iterator<Item = Self> {
        self.children_named(parent).flat_map(move |list| list.children_named(name))
    }

    /// Its text, trimmed.
    pub(super) fn text(self) -> &'a str {
        self.node.text().unwrap_or_default().trim()
    }

    /// `None` if the attribute is empty.
    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name).filter(|value| !value.is_empty())
    }

    pub(super) fn required_attribute(self, name: &str) -> ParseResult<&'a str> {
        self.attribute(name)
            .ok_or_else(|| self.error(format!("`{}` has no `{name}`", self.name()), ""))
    }

    pub(super) fn child_number<T: FromStr>(
        self,
        name: &'static str,
        expected: &str,
    ) -> ParseResult<Option<T>> {
        self.child(name).map(|child| child.parse_text(child.text(), expected)).transpose()
    }

    /// `text` is the element's text or one of its attributes.
    pub(super) fn parse_text<T: FromStr>(
        self,
        text: &str,
        expected: impl Display,
    ) -> ParseResult<T> {
        text.trim().parse().map_err(|_| {
            let message = format!("`{}` must be {expected}, not `{}`", self.name(), excerpt(text));
            self.error(message, "")
        })
    }

    pub(super) fn error(
        self,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ReportedFault {
        self.page.faults.error(self.place(), message, help)
    }

    /// Reports an error that does not prevent judging.
    pub(super) fn publishing_error(self, message: impl Into<String>, help: impl Into<String>) {
        self.page.faults.publishing_error(self.place(), message, help);
    }

    pub(super) fn warning(self, message: impl Into<String>, help: impl Into<String>) {
        self.page.faults.warning(self.place(), message, help);
    }

    /// Reports all but these child elements and attributes, which are separated by blanks: juror cannot tell whether
    /// others change how submissions are judged.
    pub(super) fn warn_unless_known(self, elements: &str, attributes: &str) {
        let is_among = |all: &str, name: &str| all.split(' ').any(|word| word == name);
        for child in self.children().filter(|child| !is_among(elements, child.name())) {
            let finding = format!("`{}` has an element `{}`", self.name(), excerpt(child.name()));
            child.warn_of_unknown(&finding, elements);
        }
        let all = self.node.attributes().map(|attribute| attribute.name());
        for name in all.filter(|name| !is_among(attributes, name)) {
            let finding = format!("`{}` has an attribute `{}`", self.name(), excerpt(name));
            self.warn_of_unknown(&finding, attributes);
        }
    }

    fn warn_of_unknown(self, finding: &str, known: &str) {
        let known = match known {
            "" => "nothing".to_owned(),
            known => comma_list(known.split(' ')),
        };
        let message = format!("{finding}, which juror does not know");
        self.warning(message, format!("it may change how submissions are judged; known: {known}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of these takes quadratic time, or worse.
    #[test]
    fn a_text_that_takes_long_is_refused() {
        let check = |text: &str, expected: Option<&str>| {
            let finding = check_bounds(text.as_bytes()).err().map(|(_, finding)| finding);
            assert_eq!(finding.as_deref(), expected, "{}", &text[..60]);
        };
        let attributes =
            |count: usize| (0..count).map(|at| format!(" a{at}='>'")).collect::<String>();
        let tag = Some("a tag of more than 16 KiB");
        check(&format!("<problem{}/>{}", attributes(90_000), " ".repeat(60)), tag);
        check(&format!("<problem{}/>{}", attributes(900), " ".repeat(60)), None);
        let many = Some("more than 16 name spaces");
        let nested: String = (0..10_000).map(|at| format!("<p xmlns:a{at}='u'>")).collect();
        check(&nested, many);
        let namespaces: String = (0..1000).map(|at| format!(" xmlns:a{at}='u'")).collect();
        check(&format!("<p{namespaces}/>"), many);
        let few = "<problem xmlns='u' xmlns:a='v'><!-- xmlns='u' --><a:b/></problem>";
        check(few, None);
        let comment = format!("<problem><!--{}--></problem>", "<a xmlns='u' b='".repeat(5000));
        check(&comment, None);
        check(&format!("<problem><![CDATA[{}]]></problem>", "<".repeat(90_000)), None);
        check(&"<".repeat(90_000), tag);
    }
}
