//! Lines of text with a margin.

use crate::cli::paper::Paper;

/// No line that this room breaks itself is longer.
pub(super) const WIDTH: usize = 96;

/// Where the values of labelled lines start, counted from the margin.
const LABEL: usize = 13;

/// A page being written.
pub(super) struct Page {
    pub(super) paper: Paper,
    text: String,
    margin: usize,
}

impl Page {
    pub(super) const fn new(paper: Paper) -> Self {
        Self { paper, text: String::new(), margin: 0 }
    }

    /// Where the following lines start.
    pub(super) const fn margin(&mut self, columns: usize) {
        self.margin = columns;
    }

    pub(super) fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// One line as it is. Spaces at its end are dropped.
    pub(super) fn line(&mut self, text: &str) {
        self.push(self.margin, text);
    }

    /// A line with a label before it; an empty label continues the value above.
    pub(super) fn field(&mut self, label: &str, value: &str) {
        let padding = " ".repeat(LABEL.saturating_sub(label.chars().count()));
        let label = self.paper.faint(label);
        self.line(&format!("{label}{padding}{value}"));
    }

    /// A sentence, broken between words; the value of a labelled line.
    pub(super) fn prose(&mut self, label: &str, text: &str) {
        let room = WIDTH.saturating_sub(self.margin + LABEL);
        for (i, line) in wrapped(text, room).iter().enumerate() {
            self.field(if i == 0 { label } else { "" }, line);
        }
    }

    /// A sentence that may be passed over, broken between words; stands below values.
    pub(super) fn small_print(&mut self, text: &str) {
        for line in wrapped(text, WIDTH.saturating_sub(self.margin + LABEL)) {
            let line = self.paper.faint(&line).into_owned();
            self.field("", &line);
        }
    }

    /// The same, from the margin on.
    pub(super) fn footnote(&mut self, text: &str) {
        for line in wrapped(text, WIDTH.saturating_sub(self.margin)) {
            let line = self.paper.faint(&line).into_owned();
            self.line(&line);
        }
    }

    /// What went wrong, broken between words, from the margin on.
    pub(super) fn error(&mut self, text: &str) {
        for line in wrapped(text, WIDTH.saturating_sub(self.margin)) {
            let line = self.paper.error(&line).into_owned();
            self.line(&line);
        }
    }

    /// A sentence that wants attention, broken between words, from the margin on.
    pub(super) fn warning(&mut self, text: &str) {
        for line in wrapped(text, WIDTH.saturating_sub(self.margin)) {
            let line = self.paper.warning(&line).into_owned();
            self.line(&line);
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn push(&mut self, margin: usize, text: &str) {
        let text = text.trim_end();
        if !text.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', margin));
            self.text.push_str(text);
        }
        self.text.push('\n');
    }
}

/// Breaks text between words so that no line is longer than `room`, unless one word is.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let word_length = word.chars().count();
        if length > 0 && length + 1 + word_length > room {
            lines.push(String::new());
            length = 0;
        }
        let line = lines.last_mut().expect("there is always a line");
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_breaks_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("incomprehensibilities yes", 7), ["incomprehensibilities", "yes"]);
        assert_eq!(wrapped("", 7), [""]);
    }

    #[test]
    fn a_value_that_continues_stays_below_its_first_line() {
        let mut page = Page::new(Paper::PLAIN);
        page.margin(2);
        page.field("tokens", "1  ");
        page.field("", "2");
        assert_eq!(page.finish(), "  tokens       1\n               2\n");
    }
}
