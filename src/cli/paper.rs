//! What text is written on: with colours or without, and how foreign text is made harmless.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;

/// Whether text is coloured. All else is the same on a terminal and in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paper {
    coloured: bool,
}

impl Paper {
    /// Without colours.
    pub const PLAIN: Self = Self { coloured: false };
    /// With colours.
    pub const COLOURED: Self = Self { coloured: true };

    /// What a stream is: coloured if it `is_terminal`, unless `no_color` (the variable
    /// `NO_COLOR`) holds anything (<https://no-color.org>) or the terminal (`TERM`) is `dumb`.
    pub fn of(is_terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> Self {
        let wished = no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb");
        Self { coloured: wished && is_terminal }
    }

    /// A heading, or the figure that counts.
    pub fn strong(self, text: &str) -> Cow<'_, str> {
        self.paint("1", text)
    }

    /// What may be passed over.
    pub fn faint(self, text: &str) -> Cow<'_, str> {
        self.paint("2", text)
    }

    /// What is better than it was.
    pub fn good(self, text: &str) -> Cow<'_, str> {
        self.paint("32", text)
    }

    /// What wants attention.
    pub fn warning(self, text: &str) -> Cow<'_, str> {
        self.paint("33", text)
    }

    /// What went wrong.
    pub fn error(self, text: &str) -> Cow<'_, str> {
        self.paint("1;31", text)
    }

    fn paint<'a>(self, code: &str, text: &'a str) -> Cow<'a, str> {
        if self.coloured && !text.is_empty() {
            Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m"))
        } else {
            Cow::Borrowed(text)
        }
    }
}

/// Foreign text (a file's name, a tool's, an error's) on one line that cannot steer a
/// terminal: control characters and those that turn the direction of text are written out.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push_str("\\t"),
            '\r' => safe.push_str("\\r"),
            c if is_harmful(c) => {
                write!(safe, "\\u{{{:x}}}", u32::from(c)).expect("a string takes any text");
            }
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// [`harmless`] text of at most `limit` characters; an ellipsis stands for the rest.
pub fn clipped(text: &str, limit: usize) -> String {
    let mut safe = harmless(text).into_owned();
    if let Some((end, _)) = safe.char_indices().nth(limit) {
        let keep = safe.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
        debug_assert!(keep <= end);
        safe.truncate(keep);
        safe.push('…');
    }
    safe
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        let of = |terminal, no_color: Option<&str>, term: Option<&str>| {
            Paper::of(terminal, no_color.map(OsStr::new), term.map(OsStr::new))
        };
        assert_eq!(of(true, None, Some("xterm")), Paper::COLOURED);
        assert_eq!(of(true, Some(""), None), Paper::COLOURED);
        assert_eq!(of(true, Some("0"), Some("xterm")), Paper::PLAIN);
        assert_eq!(of(true, None, Some("dumb")), Paper::PLAIN);
        assert_eq!(of(false, None, Some("xterm")), Paper::PLAIN);
    }

    #[test]
    fn colour_is_put_around_text_and_taken_back() {
        assert_eq!(Paper::COLOURED.good("less"), "\x1b[32mless\x1b[0m");
        assert_eq!(Paper::PLAIN.good("less"), "less");
    }

    #[test]
    fn foreign_text_cannot_steer_a_terminal() {
        assert_eq!(harmless("a\x1b[2Jb\nc\u{202e}d"), "a\\u{1b}[2Jb\\nc\\u{202e}d");
        assert_eq!(harmless("plain, 中文 too"), "plain, 中文 too");
    }

    #[test]
    fn long_text_is_cut_where_a_character_ends() {
        assert_eq!(clipped("12345", 5), "12345");
        assert_eq!(clipped("123456", 5), "1234…");
        assert_eq!(clipped("äöüß", 3), "äö…");
    }
}
