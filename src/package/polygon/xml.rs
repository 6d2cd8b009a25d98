//! Elements of `problem.xml`, which know their place and report their own faults.

use std::fmt::Display;
use std::str::FromStr;

use roxmltree::{Document, Node, NodeType, ParsingOptions};

use crate::model::diagnostic::Place;
use crate::package::faults::Reported;
use crate::package::node::Parse;
use crate::package::suggest::list;
use crate::package::text::{Page, shown};

/// Upper bound on the elements, texts and attributes that are read.
const MAX_NODES: u32 = 1_000_000;

/// Reads a text as XML. A document type is refused, since it can make a small text large.
///
/// # Errors
/// The first fault.
pub(super) fn document(text: &str) -> Result<Document<'_>, roxmltree::Error> {
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
}

/// The same, with a report of the fault.
pub(super) fn parse<'a>(page: Page<'a>) -> Option<Document<'a>> {
    match document(&page.file.text) {
        Ok(document) => Some(document),
        Err(error) => {
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

/// An element.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    page: Page<'a>,
}

impl<'a> Element<'a> {
    /// The outermost element.
    pub(super) fn root(document: &'a Document<'a>, page: Page<'a>) -> Self {
        Self { node: document.root_element(), page }
    }

    /// Its name.
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

    /// Its child elements.
    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let elements = self.node.children().filter(|node| node.node_type() == NodeType::Element);
        elements.map(move |node| Self { node, ..self })
    }

    /// Its child elements of this name.
    pub(super) fn named(self, name: &'static str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.name() == name)
    }

    /// Its first child element of this name.
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

    /// The value of an attribute; `None` if it is empty.
    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name).filter(|value| !value.is_empty())
    }

    /// The value of a required attribute.
    pub(super) fn required(self, name: &str) -> Parse<&'a str> {
        self.attribute(name)
            .ok_or_else(|| self.error(format!("`{}` has no `{name}`", self.name()), ""))
    }

    /// The number in the child element of this name, if it exists.
    pub(super) fn number<T: FromStr>(self, name: &'static str, wanted: &str) -> Parse<Option<T>> {
        self.child(name).map(|child| child.parsed(child.text(), wanted)).transpose()
    }

    /// The meaning of a text, which is the element's text or one of its attributes.
    pub(super) fn parsed<T: FromStr>(self, text: &str, wanted: impl Display) -> Parse<T> {
        text.trim().parse().map_err(|_| {
            let message = format!("`{}` must be {wanted}, not `{}`", self.name(), shown(text));
            self.error(message, "")
        })
    }

    /// Reports a fault; the help may be empty.
    pub(super) fn error(self, message: impl Into<String>, help: impl Into<String>) -> Reported {
        self.page.faults.error(self.place(), message, help)
    }

    /// Reports a fault despite which submissions can be judged.
    pub(super) fn lack(self, message: impl Into<String>, help: impl Into<String>) {
        self.page.faults.lack(self.place(), message, help);
    }

    /// Reports a warning; the help may be empty.
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
