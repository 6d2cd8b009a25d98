//! Text and files within an HTML page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Escapes text for an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            // Control characters are not allowed in a page. The others would change the direction of the text around
            // them.
            _ if character.is_control() => escaped.push('\u{fffd}'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The endings of images that a page shows, with their media types.
pub const IMAGE_TYPES: [(&str, &str); 4] =
    [("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"), ("svg", "image/svg+xml")];

pub fn data_uri(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let check = |text: &str, escaped: &str| assert_eq!(escape(text), escaped);
        check("a < b && c > \"d'", "a &lt; b &amp;&amp; c &gt; &quot;d&#39;");
        check("1\n\t2", "1\n\t2");
        check("\0\x1b[1m\u{202e}", "\u{fffd}\u{fffd}[1m\u{fffd}");
        check("grüße 東京", "grüße 東京");
    }

    #[test]
    fn files_are_in_base64() {
        assert_eq!(data_uri("image/png", b"foob"), "data:image/png;base64,Zm9vYg==");
    }
}
