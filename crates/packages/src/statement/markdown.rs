//! Translates Markdown statements: CommonMark with formulas, tables and footnotes.
//!
//! Source: problem package format 2025-09, "Markdown environment and supported features".

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

use crate::package::suggest::{did_you_mean, nearest};
use crate::statement::TranslationState;
use crate::statement::html::escape;
use crate::statement::math::{self, FORMULA_HELP, FormulaTranslator};
use crate::statement::source::StatementText;
use crate::statement::tags::{is_link, neutralize};

const NEXT_SAMPLE: &str = "{{nextsample}}";
const REMAINING_SAMPLES: &str = "{{remainingsamples}}";

pub(super) fn translate(source: &StatementText, scope: &mut TranslationState<'_>) -> String {
    let options = Options::ENABLE_MATH
        | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_DEFINITION_LIST;
    let events: Vec<_> = Parser::new_ext(&source.text, options).into_offset_iter().collect();
    let has_title = |(event, _): &(Event<'_>, _)| {
        matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }))
    };
    let depth = if events.iter().any(has_title) { 1 } else { 0 };
    let mut translator = MarkdownTranslator {
        source,
        scope,
        math: FormulaTranslator::new(),
        depth,
        shown_links: Vec::new(),
        hidden_images: 0,
    };
    let mut body = String::new();
    let events = events.into_iter().flat_map(|(event, at)| translator.translate_event(event, at));
    html::push_html(&mut body, events);
    body.replace("<p></p>\n", "").replace("<p>\n</p>\n", "")
}

struct MarkdownTranslator<'a, 'b> {
    source: &'a StatementText,
    scope: &'a mut TranslationState<'b>,
    math: FormulaTranslator,
    /// How many levels headings are below the page's title.
    depth: usize,
    shown_links: Vec<bool>,
    hidden_images: usize,
}

impl<'a> MarkdownTranslator<'a, '_> {
    fn translate_event(&mut self, event: Event<'a>, at: Range<usize>) -> Vec<Event<'a>> {
        match event {
            Event::InlineMath(formula) => vec![self.formula(&formula, false, at)],
            Event::DisplayMath(formula) => vec![self.formula(&formula, true, at)],
            Event::Html(text) => vec![Event::Html(self.neutralize_html(&text, at))],
            Event::InlineHtml(text) => vec![Event::InlineHtml(self.neutralize_html(&text, at))],
            Event::Text(text) => {
                if let Some(name) = unknown_constant(&text) {
                    let message = format!("unknown constant `{name}`");
                    self.add_remark(at, message, "define it in `constants`, or correct the name");
                }
                if text.contains(NEXT_SAMPLE) || text.contains(REMAINING_SAMPLES) {
                    self.insert_samples(&text)
                } else {
                    vec![Event::Text(text)]
                }
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let shown = is_link(&dest_url) || link_type == LinkType::Email;
                self.shown_links.push(shown);
                if !shown {
                    let message = format!("the link to `{dest_url}` is left out");
                    self.add_remark(at, message, "a page links to http, https and mail addresses");
                    return Vec::new();
                }
                vec![Event::Start(Tag::Link { link_type, dest_url, title, id })]
            }
            Event::End(TagEnd::Link) if self.shown_links.pop() == Some(false) => Vec::new(),
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                match self.scope.images.address(&dest_url) {
                    Ok(address) => {
                        let dest_url = address.into();
                        vec![Event::Start(Tag::Image { link_type, dest_url, title, id })]
                    }
                    Err(reason) => {
                        self.hidden_images += 1;
                        let message = format!("the image `{dest_url}` is left out: {reason}");
                        self.add_remark(
                            at,
                            message,
                            "put it in the statement's directory, and use its file name",
                        );
                        vec![Event::Start(Tag::Emphasis)]
                    }
                }
            }
            Event::End(TagEnd::Image) if self.hidden_images > 0 => {
                self.hidden_images -= 1;
                vec![Event::End(TagEnd::Emphasis)]
            }
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                let level = deepen(level, self.depth);
                vec![Event::Start(Tag::Heading { level, id, classes, attrs })]
            }
            Event::End(TagEnd::Heading(level)) => {
                vec![Event::End(TagEnd::Heading(deepen(level, self.depth)))]
            }
            // A page may have several statements.
            Event::FootnoteReference(label) => {
                vec![Event::FootnoteReference(self.footnote_label(&label))]
            }
            Event::Start(Tag::FootnoteDefinition(label)) => {
                vec![Event::Start(Tag::FootnoteDefinition(self.footnote_label(&label)))]
            }
            event => vec![event],
        }
    }

    /// Footnotes of several statements on a page must differ.
    fn footnote_label(&self, label: &str) -> CowStr<'a> {
        format!("{}-{label}", self.scope.language).into()
    }

    fn formula(&mut self, formula: &str, alone: bool, at: Range<usize>) -> Event<'a> {
        // In a formula, braces may also only group letters.
        let known = self.scope.problem.constants.iter().map(|constant| &*constant.key);
        if let Some((name, near)) =
            unknown_constant(formula).and_then(|name| Some((name, nearest(name, known)?)))
        {
            let message = format!("unknown constant `{name}`");
            self.add_remark(at.clone(), message, &did_you_mean(near));
        }
        let translated = self.math.translate(formula, alone).unwrap_or_else(|reason| {
            let message = format!("this formula is shown as written: {reason}");
            self.add_remark(at, message, FORMULA_HELP);
            math::as_code(formula)
        });
        Event::InlineHtml(translated.into())
    }

    fn neutralize_html(&mut self, html: &str, at: Range<usize>) -> CowStr<'a> {
        let (text, refused) = neutralize(html);
        for name in refused {
            let message = format!("`<{name}>` is shown as text");
            self.add_remark(
                at.clone(),
                message,
                "write it in Markdown; a page keeps only HTML tags such as <sub> and <br>",
            );
        }
        text.into()
    }

    /// Samples are outside of paragraphs.
    fn insert_samples(&mut self, text: &str) -> Vec<Event<'a>> {
        let mut html = String::new();
        for (before, mark) in split_at_marks(text) {
            html.push_str(&escape(before));
            let sample = match mark {
                NEXT_SAMPLE => self.scope.samples.next_sample(),
                REMAINING_SAMPLES => self.scope.samples.remaining_samples(),
                _ => continue,
            };
            html.push_str(&format!("</p>\n{sample}<p>"));
        }
        vec![Event::InlineHtml(html.into())]
    }

    fn add_remark(&mut self, at: Range<usize>, message: String, help: &str) {
        self.scope.diagnostics.extend(self.source.new_remark(at, message, help));
    }
}

/// The parts of a text, each with the mark that follows it, if any. A mark ends where a part does.
fn split_at_marks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_inclusive("}}").map(|part| {
        let mut marks = [NEXT_SAMPLE, REMAINING_SAMPLES].into_iter();
        let mark = marks.find(|mark| part.ends_with(mark)).unwrap_or_default();
        (&part[..part.len() - mark.len()], mark)
    })
}

fn unknown_constant(text: &str) -> Option<&str> {
    let is_name = |word: &&str| {
        let is_sample = [NEXT_SAMPLE, REMAINING_SAMPLES]
            .iter()
            .any(|name| name.trim_matches(['{', '}']) == *word);
        !is_sample
            && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    let mut pieces = text.split("{{").skip(1).filter_map(|piece| Some(piece.split_once("}}")?.0));
    pieces.find(is_name)
}

fn deepen(level: HeadingLevel, by: usize) -> HeadingLevel {
    HeadingLevel::try_from(level as usize + by).unwrap_or(HeadingLevel::H6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_wherever_they_are() {
        const SIZE: usize = 1 << 16;
        for unit in [
            NEXT_SAMPLE,
            REMAINING_SAMPLES,
            "{{",
            "{{next",
            "{{{{remainingsamples}}",
            "a {{nextsample}} ",
            "{",
        ] {
            let text = unit.repeat(SIZE / unit.len());
            let shown: String =
                split_at_marks(&text).flat_map(|(before, mark)| [before, mark]).collect();
            assert_eq!(shown, text, "{unit}");
        }
        assert_eq!(
            split_at_marks("a{{nextsample}}{{{remainingsamples}}b").collect::<Vec<_>>(),
            [("a", NEXT_SAMPLE), ("{", REMAINING_SAMPLES), ("b", "")]
        );
    }
}
