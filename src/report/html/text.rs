//! Texts of programs, shortened for people, and images.

use std::io::Read;

use maud::{Markup, Render, html};

use crate::report::html::Page;
use juror_core::judgement::ShownImage;
use juror_core::text::{count, message_line, visible};
use juror_core::units::Bytes;
use juror_packages::statement::html;

const MAX_LINES: usize = 16;
const MAX_LINE: usize = 400;
const MAX_BYTES: usize = 3000;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShortenedText {
    /// Control characters are visible.
    pub(super) lines: Vec<String>,
    /// Says what is omitted; empty if nothing is.
    pub(super) note: String,
}

/// `unknown` is the number of bytes that follow `text`.
pub(super) fn shorten(text: &[u8], unknown: u64, show: fn(&[u8]) -> String) -> ShortenedText {
    let mut lines = Vec::new();
    let mut shown = 0;
    let mut in_lines = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if lines.len() == MAX_LINES || shown >= MAX_BYTES {
            break;
        }
        shown += line.len();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let room = MAX_LINE.min(line.len());
        in_lines += line.len() - room;
        let end = if room < line.len() { "…" } else { "" };
        lines.push(show(whole_characters(&line[..room])) + end);
    }
    let mut notes = Vec::new();
    if in_lines > 0 {
        notes.push(format!("{} of long lines not shown", Bytes(in_lines as u64)));
    }
    let after = (text.len() - shown) as u64 + unknown;
    if after > 0 {
        notes.push(format!("the last {} not shown", Bytes(after)));
    }
    if notes.is_empty() && !text.is_empty() && !text.ends_with(b"\n") {
        notes.push("no line end at the end".to_owned());
    }
    ShortenedText { lines, note: notes.join(", ") }
}

fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

#[derive(Clone, Copy)]
pub(super) struct Pane<'a> {
    pub(super) title: &'a str,
    /// Whether it is the expected text.
    pub(super) is_good: bool,
    /// The number of bytes that are missing at the end.
    pub(super) bytes_left_out: u64,
    /// The line to mark, from 1.
    pub(super) marked_line: Option<u64>,
    pub(super) is_numbered: bool,
    pub(super) show: fn(&[u8]) -> String,
}

impl<'a> Pane<'a> {
    /// For a complete text.
    pub(super) fn titled(title: &'a str) -> Self {
        Self {
            title,
            is_good: false,
            bytes_left_out: 0,
            marked_line: None,
            is_numbered: false,
            show: visible,
        }
    }

    /// For what a program wrote for people.
    pub(super) fn messages(title: &'a str) -> Self {
        Self { show: message_line, ..Self::titled(title) }
    }
}

pub(super) fn pane(page: &Page<'_>, pane: Pane<'_>, text: &[u8]) -> Markup {
    let ShortenedText { lines, note } = shorten(text, pane.bytes_left_out, pane.show);
    // Includes the markup of the lines.
    let size: usize = 150 + lines.iter().map(|line| line.len() + 14).sum::<usize>();
    let fits = Page::take_room(&page.texts, size);
    html! {
        figure class=(if pane.is_good { "pane good" } else { "pane" }) {
            figcaption { (pane.title) }
            @if text.is_empty() {
                p.note { "empty" }
            } @else if fits {
                pre class=[(!pane.is_numbered).then_some("plain")] {
                    @for (number, line) in lines.iter().enumerate() {
                        span class=[(pane.marked_line == Some(number as u64 + 1)).then_some("hit")] { (line) }
                    }
                }
                @if !note.is_empty() { p.note { (note) } }
            } @else {
                p.note { "left out to keep this page small: " (Bytes(text.len() as u64 + pane.bytes_left_out)) }
            }
        }
    }
}

pub(super) fn pane_if_any(page: &Page<'_>, title: &str, text: &[u8]) -> Markup {
    html! {
        @if !text.trim_ascii().is_empty() { (pane(page, Pane::messages(title), text)) }
    }
}

/// Scripts of an SVG do not run in an `img`.
pub(super) fn picture(page: &Page<'_>, picture: &ShownImage) -> Markup {
    let name = visible(picture.name.as_bytes());
    html! {
        figure.pane {
            figcaption { (name) }
            @match data_uri(page, picture) {
                Some(uri) => div.picture { img src=(uri) alt={ "image " (name) " of the " (picture.of) }; },
                None => p.note { "cannot be shown here" },
            }
        }
    }
}

fn data_uri(page: &Page<'_>, picture: &ShownImage) -> Option<String> {
    let ending = picture.name.rsplit_once('.')?.1;
    let (_, media_type) = html::IMAGE_TYPES.into_iter().find(|(known, _)| *known == ending)?;
    let mut bytes = Vec::new();
    let room = page.pictures.get() as u64;
    picture.blob.open().ok()?.take(room + 1).read_to_end(&mut bytes).ok()?;
    Page::take_room(&page.pictures, bytes.len()).then(|| html::data_uri(media_type, &bytes))
}

/// A part of the page. `id` is that of its title.
pub(super) fn section(id: &str, title: &str, content: Markup) -> Markup {
    html! { section aria-labelledby=(id) { h2 id=(id) { (title) } (content) } }
}

/// A table that scrolls if it is wide. A title that begins with `>` is that of numbers.
pub(super) fn table(
    class: &str,
    label: &str,
    caption: impl Render,
    titles: &[&str],
    rows: Markup,
) -> Markup {
    html! {
        div.wide tabindex="0" role="group" aria-label=(label) {
            table class=(class) {
                caption { (caption) }
                @if !titles.is_empty() { thead { tr { @for title in titles {
                    th.n[title.starts_with('>')] scope="col" { (title.trim_start_matches('>')) }
                } } } }
                tbody { (rows) }
            }
        }
    }
}

/// A bar that is full if the share is 1.
pub(super) fn bar(class: &str, share: f64) -> Markup {
    let width = (share.clamp(0.0, 1.0) * 100.0).ceil();
    html! {
        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.rail width="100" height="10" {}
            rect class=(class) width=(width) height="10" {}
        }
    }
}

pub(super) fn not_shown(number: u64, noun: &str) -> Markup {
    html! {
        @if number > 0 { p.note { (count(number, noun)) " not shown" } }
    }
}
