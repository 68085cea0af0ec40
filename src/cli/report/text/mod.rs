//! The report for people: as much as a page holds, in plain words, at most [`page::WIDTH`]
//! columns wide. The same on a terminal and in a file, but for colours.

mod closing;
mod conversation;
mod cost;
mod many;
mod page;
mod target;

use page::Page;

use super::model::RunReport;
use crate::cli::paper::Paper;

/// More conversations than this get a line each instead of a page each.
const PAGES: usize = 3;

/// Writes the report.
pub fn render(report: &RunReport, paper: Paper) -> String {
    let mut page = Page::new(paper);
    if report.conversations.len() > PAGES {
        many::write(&mut page, report);
    } else {
        for conversation in &report.conversations {
            conversation::write(&mut page, conversation, report.compaction);
        }
    }
    closing::write(&mut page, report);
    page.finish()
}
