use proptest::prelude::*;

use crate::compaction::{Extent, marker};
use crate::record::{BlockRef, Seq, Status};
use crate::tokens::Tokens;

const AT: BlockRef = BlockRef::new(Seq::new(12), 3);

fn of(tool: &str, status: Status, extent: Extent, id: &str) -> String {
    marker(&tool.into(), status, Tokens::new(12_431), extent, &id.into(), AT).0
}

#[test]
fn it_names_tool_outcome_size_and_the_way_back() {
    let extent = Extent { lines: 1204, bytes: 50_000, images: 0, documents: 0 };
    assert_eq!(
        of("bash", Status::Ok, extent, "call_7Q"),
        "[Output cleared to save context. bash completed: ok, 12431 tokens, 1204 lines. \
         Recall with id call_7Q.]"
    );
    assert_eq!(
        of("bash", Status::Error, extent, "call_7Q"),
        "[Output cleared to save context. bash completed: error, 12431 tokens, 1204 lines. \
         Recall with id call_7Q.]"
    );
}

#[test]
fn it_names_pictures_and_files() {
    let extent = Extent { lines: 1, bytes: 5, images: 2, documents: 1 };
    assert_eq!(
        of("shot", Status::Ok, extent, "c"),
        "[Output cleared to save context. shot completed: ok, 12431 tokens, 1 line, 2 images, \
         1 document. Recall with id c.]"
    );
}

#[test]
fn an_id_that_is_not_plain_is_recalled_by_its_place() {
    for id in ["", "a b", "a]", "a\nb", &"x".repeat(65), "@12.3"] {
        let text = of("bash", Status::Ok, Extent::default(), id);
        assert!(text.ends_with("Recall with id @12.3.]"), "{text}");
    }
}

#[test]
fn an_odd_tool_name_is_made_safe_and_cut() {
    let text = of("a]b\nc d", Status::Ok, Extent::default(), "c");
    assert!(text.contains(" a_b_c_d completed: ok"), "{text}");
    let text = of(&"n".repeat(10_000), Status::Ok, Extent::default(), "c");
    assert!(text.contains(&format!(" {}… completed", "n".repeat(64))), "{text}");
    assert!(of("", Status::Ok, Extent::default(), "c").contains(" tool completed: ok"));
}

proptest! {
    #[test]
    fn it_is_one_bounded_line_in_one_pair_of_brackets(
        tool in ".{0,200}", id in ".{0,200}", tokens: u64, lines: u64, images: u64,
    ) {
        let extent = Extent { lines, images, bytes: 0, documents: images };
        let make = || marker(
            &tool.as_str().into(), Status::Ok, Tokens::new(tokens), extent, &id.as_str().into(), AT,
        ).0;
        let text = make();
        prop_assert_eq!(&text, &make());
        prop_assert!(text.chars().count() <= 330, "{}", text);
        prop_assert!(!text.contains(char::is_control));
        prop_assert_eq!(text.matches(['[', ']']).collect::<String>(), "[]");
        prop_assert!(text.starts_with('[') && text.ends_with(']'));
    }
}
