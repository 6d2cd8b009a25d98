//! Elements of `problem.xml`, which know their place and report their own faults.

use std::fmt::Display;
use std::str::FromStr;

use memchr::{memchr, memmem};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

use crate::model::diagnostic::Place;
use crate::model::units::Bytes;
use crate::package::faults::Reported;
use crate::package::node::Parse;
use crate::package::suggest::list;
use crate::package::text::{Page, shown};

/// Upper bound on the elements, texts and attributes that are read.
const MAX_NODES: u32 = 1_000_000;

/// Upper bound in bytes on a tag with its attributes: comparing them takes quadratic time.
const TAG_MAX: usize = 16 << 10;
/// Upper bound on declarations of name spaces: every tag is checked against all of them. Polygon has none.
const NAME_SPACES_MAX: usize = 16;

#[derive(Debug)]
pub(super) enum XmlFault {
    Invalid(roxmltree::Error),
    /// The text would take long to read. The place is in bytes.
    Large(usize, String),
}

/// Reads a text as XML. A document type is refused, since it can make a small text large.
pub(super) fn document(text: &str) -> Result<Document<'_>, XmlFault> {
    bounded(text.as_bytes())?;
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(XmlFault::Invalid)
}

/// Checks in one pass that no tag takes long.
fn bounded(text: &[u8]) -> Result<(), XmlFault> {
    const WITHOUT_TAGS: [(&[u8], &[u8]); 3] =
        [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];
    let mut name_spaces = 0;
    let mut at = 0;
    while let Some(found) = memchr(b'<', &text[at..]) {
        let start = at + found;
        let rest = &text[start..];
        if let Some((_, end)) = WITHOUT_TAGS.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let Some(length) = memmem::find(rest, end) else { return Ok(()) };
            at = start + length + end.len();
            continue;
        }
        let tag = tag(rest);
        if tag.len() > TAG_MAX {
            let what = format!("a tag of more than {}", Bytes(TAG_MAX as u64));
            return Err(XmlFault::Large(start, what));
        }
        name_spaces += memmem::find_iter(tag, b"xmlns").count();
        if name_spaces > NAME_SPACES_MAX {
            let what = format!("more than {NAME_SPACES_MAX} name spaces");
            return Err(XmlFault::Large(start, what));
        }
        at = start + tag.len().max(1);
    }
    Ok(())
}

/// The tag at the start of a text. A `>` between quotes does not end it.
fn tag(text: &[u8]) -> &[u8] {
    let mut quote = None;
    for (at, byte) in text.iter().enumerate().take(TAG_MAX + 1) {
        match (quote, byte) {
            (None, b'>') => return &text[..=at],
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    &text[..text.len().min(TAG_MAX + 1)]
}

/// Like `parse_document`, but reports the fault.
pub(super) fn parse<'a>(page: Page<'a>) -> Option<Document<'a>> {
    match document(&page.file.text) {
        Ok(document) => Some(document),
        Err(XmlFault::Large(at, what)) => {
            let range = page.file.range(at..at + 1);
            page.error(range, format!("has {what}, which juror does not read"), "");
            None
        }
        Err(XmlFault::Invalid(error)) => {
            let at = error.pos();
            let range = crate::package::text::Range {
                line: at.row.max(1),
                column: at.col.max(1),
                width: 1,
            };
            page.error(range, format!("is not valid XML: {error}"), "");
            None
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    page: Page<'a>,
}

impl<'a> Element<'a> {
    pub(super) fn root(document: &'a Document<'a>, page: Page<'a>) -> Self {
        Self { node: document.root_element(), page }
    }

    pub(super) fn name(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// The start of its tag.
    pub(super) fn place(self) -> Place {
        let range = self.node.range();
        let text = &self.page.file.text[range.clone()];
        let length = text.find('>').map_or(text.len(), |end| end + 1);
        self.page.file.place(self.page.file.range(range.start..range.start + length))
    }

    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let elements = self.node.children().filter(|node| node.node_type() == NodeType::Element);
        elements.map(move |node| Self { node, ..self })
    }

    pub(super) fn named(self, name: &'static str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.name() == name)
    }

    pub(super) fn child(self, name: &'static str) -> Option<Self> {
        self.named(name).next()
    }

    /// The elements of this name in the child elements called `around`, such as each `test` in `tests`.
    pub(super) fn listed(
        self,
        around: &'static str,
        name: &'static str,
    ) -> impl Iterator<Item = Self> {
        self.named(around).flat_map(move |list| list.named(name))
    }

    /// Its text, trimmed.
    pub(super) fn text(self) -> &'a str {
        self.node.text().unwrap_or_default().trim()
    }

    /// `None` if the attribute is empty.
    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name).filter(|value| !value.is_empty())
    }

    pub(super) fn required(self, name: &str) -> Parse<&'a str> {
        self.attribute(name)
            .ok_or_else(|| self.error(format!("`{}` has no `{name}`", self.name()), ""))
    }

    pub(super) fn number<T: FromStr>(self, name: &'static str, wanted: &str) -> Parse<Option<T>> {
        self.child(name).map(|child| child.parsed(child.text(), wanted)).transpose()
    }

    /// `text` is the element's text or one of its attributes.
    pub(super) fn parsed<T: FromStr>(self, text: &str, wanted: impl Display) -> Parse<T> {
        text.trim().parse().map_err(|_| {
            let message = format!("`{}` must be {wanted}, not `{}`", self.name(), shown(text));
            self.error(message, "")
        })
    }

    pub(super) fn error(self, message: impl Into<String>, help: impl Into<String>) -> Reported {
        self.page.faults.error(self.place(), message, help)
    }

    /// Reports an error that does not prevent judging.
    pub(super) fn lack(self, message: impl Into<String>, help: impl Into<String>) {
        self.page.faults.lack(self.place(), message, help);
    }

    pub(super) fn warning(self, message: impl Into<String>, help: impl Into<String>) {
        self.page.faults.warning(self.place(), message, help);
    }

    /// Reports all but these child elements and attributes, which are separated by blanks: juror cannot tell whether
    /// others change how submissions are judged.
    pub(super) fn knows(self, elements: &str, attributes: &str) {
        let is_among = |all: &str, name: &str| all.split(' ').any(|it| it == name);
        for child in self.children().filter(|child| !is_among(elements, child.name())) {
            let what = format!("`{}` has an element `{}`", self.name(), shown(child.name()));
            child.unknown(&what, elements);
        }
        let all = self.node.attributes().map(|attribute| attribute.name());
        for name in all.filter(|name| !is_among(attributes, name)) {
            let what = format!("`{}` has an attribute `{}`", self.name(), shown(name));
            self.unknown(&what, attributes);
        }
    }

    fn unknown(self, what: &str, known: &str) {
        let known = match known {
            "" => "nothing".to_owned(),
            known => list(known.split(' ')),
        };
        let message = format!("{what}, which juror does not know");
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
            let what = match document(text) {
                Err(XmlFault::Large(_, what)) => Some(what),
                Ok(_) | Err(XmlFault::Invalid(_)) => None,
            };
            assert_eq!(what.as_deref(), expected, "{}", &text[..60]);
        };
        let attributes =
            |count: usize| (0..count).map(|at| format!(" a{at}='>'")).collect::<String>();
        let tag = Some("a tag of more than 16 KiB");
        check(&format!("<problem{}/>{}", attributes(90_000), " ".repeat(60)), tag);
        check(&format!("<problem{}/>{}", attributes(900), " ".repeat(60)), None);
        let many = Some("more than 16 name spaces");
        let nested: String = (0..10_000).map(|at| format!("<p xmlns:a{at}='u'>")).collect();
        check(&nested, many);
        let beside: String = (0..1000).map(|at| format!(" xmlns:a{at}='u'")).collect();
        check(&format!("<p{beside}/>"), many);
        let few = "<problem xmlns='u' xmlns:a='v'><!-- xmlns='u' --><a:b/></problem>";
        check(few, None);
        let comment = format!("<problem><!--{}--></problem>", "<a xmlns='u' b='".repeat(5000));
        check(&comment, None);
        check(&format!("<problem><![CDATA[{}]]></problem>", "<".repeat(90_000)), None);
        check(&"<".repeat(90_000), tag);
    }
}
