//! Writes HTML: tracks paragraphs, and the active styles.

use crate::statement::latex::symbols::TextStyle;

#[derive(Default)]
pub(super) struct HtmlWriter {
    pub html: String,
    is_inline: bool,
    is_open: bool,
    styles: Vec<TextStyle>,
}

impl HtmlWriter {
    /// Makes no paragraphs: for cells, titles and captions.
    pub(super) fn inline() -> Self {
        Self { is_inline: true, ..Self::default() }
    }

    pub(super) fn push_text(&mut self, html: &str) {
        self.open_paragraph();
        self.html.push_str(html);
    }

    /// Not at the start of a paragraph.
    pub(super) fn push_space(&mut self) {
        if self.is_open && !self.html.ends_with([' ', '\n']) {
            self.html.push(' ');
        }
    }

    pub(super) fn push_line_break(&mut self) {
        if self.is_open {
            self.html.push_str("<br>\n");
        }
    }

    pub(super) fn end_paragraph(&mut self) {
        if !self.is_open {
            return;
        }
        if self.is_inline {
            return self.push_space();
        }
        self.close_styles(0);
        self.is_open = false;
        let text = self.html.trim_end_matches(' ').len();
        self.html.truncate(text);
        self.html.push_str("</p>\n");
    }

    pub(super) fn push_block(&mut self, html: &str) {
        self.end_paragraph();
        self.html.push_str(html);
        self.html.push('\n');
    }

    pub(super) fn push_section_title(&mut self, title: &str) {
        self.push_block(&format!("<h2>{title}</h2>"));
    }

    pub(super) fn style_count(&self) -> usize {
        self.styles.len()
    }

    pub(super) fn push_style(&mut self, style: TextStyle) {
        if self.is_open {
            self.html.push_str(style.open);
        }
        self.styles.push(style);
    }

    /// Turns off all styles after the first `mark`.
    pub(super) fn pop_styles(&mut self, mark: usize) {
        if self.is_open {
            self.close_styles(mark);
        }
        self.styles.truncate(mark);
    }

    pub(super) fn is_code(&self) -> bool {
        self.styles.iter().any(|style| style.close == "</code>")
    }

    fn open_paragraph(&mut self) {
        if self.is_open {
            return;
        }
        self.is_open = true;
        if !self.is_inline {
            self.html.push_str("<p>");
        }
        let styles = self.styles.iter().map(|style| style.open);
        self.html.extend(styles);
    }

    fn close_styles(&mut self, mark: usize) {
        let styles = self.styles[mark.min(self.styles.len())..].iter().rev();
        self.html.extend(styles.map(|style| style.close));
    }
}
