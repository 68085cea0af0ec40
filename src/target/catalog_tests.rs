use super::*;
use crate::target::Wire;
use crate::tokens::{Scale, Tokens};

fn name(target: Option<&Target>) -> Option<&str> {
    target.map(|target| target.name.as_str())
}

#[test]
fn the_built_in_targets_are_there_by_name_and_in_order() {
    let catalog = Catalog::builtin();
    assert_eq!(catalog.get("openai").map(|target| target.wire), Ok(Wire::OpenaiChat));
    assert_eq!(catalog.get("anthropic").map(|target| target.wire), Ok(Wire::Anthropic));
    let names: Vec<&str> = catalog.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(names, ["openai", "anthropic", "claude-opus-5-5", "claude-sonnet-5-5"]);
}

#[test]
fn the_anthropic_target_has_the_facts_that_published_figures_were_made_with() {
    let catalog = Catalog::builtin();
    let anthropic = catalog.get("anthropic").expect("it is built in");
    assert_eq!(anthropic.window, Tokens::new(200_000));
    assert_eq!((anthropic.prices.write_permille, anthropic.prices.read_permille), (1250, 100));
    assert_eq!(anthropic.cache_lifetime_ms, 300_000);
    assert!(!anthropic.binds_thinking);
}

#[test]
fn the_provider_of_a_session_leads_to_its_target() {
    let catalog = Catalog::builtin();
    for provider in ["anthropic", "Anthropic", "amazon-bedrock", "claude-code", "vertex-anthropic"]
    {
        assert_eq!(name(catalog.for_provider(provider)), Some("anthropic"), "{provider}");
    }
    for provider in ["openai", "openai-codex", "azure", "azure-openai-responses"] {
        assert_eq!(name(catalog.for_provider(provider)), Some("openai"), "{provider}");
    }
    assert_eq!(name(catalog.for_provider("zai")), None);
}

#[test]
fn an_unknown_name_says_which_there_are_and_which_was_meant() {
    let error = Catalog::builtin().get("antropic").expect_err("no such target");
    assert_eq!(
        error.to_string(),
        "there is no target \"antropic\"; known targets are openai, anthropic, \
         claude-opus-5-5, claude-sonnet-5-5 (did you mean \"anthropic\"?)"
    );
    let error = Catalog::builtin().get("mistral-large").expect_err("no such target");
    assert_eq!(error.nearest, None);
}

#[test]
fn a_file_overrides_single_facts_and_adds_targets() {
    let catalog = Catalog::with_toml(
        "[targets.anthropic]\nwindow = 1000\n[targets.mine]\nextends = \"openai\"\n\
         input = 1.2505\nwrite = 1\nread = 0.1\ncache_lifetime = \"1h\"\nscale = 1.1",
    )
    .expect("the file is right");
    let anthropic = catalog.get("anthropic").expect("still there");
    assert_eq!(anthropic.window, Tokens::new(1000));
    assert_eq!(anthropic.model, "claude-opus-4-5");
    let mine = catalog.get("mine").expect("added");
    assert_eq!(mine.prices.input_micro_usd, 1_250_500);
    assert_eq!((mine.prices.write_permille, mine.prices.read_permille), (1000, 100));
    assert_eq!(mine.cache_lifetime_ms, 3_600_000);
    assert_eq!(mine.scale, Scale::permille(1100));
    assert_eq!(name(catalog.iter().last()), Some("mine"));
}

#[test]
fn a_base_may_stand_after_what_extends_it() {
    let catalog = Catalog::with_toml(
        "[targets.a]\nextends = \"b\"\n[targets.b]\nextends = \"anthropic\"\nwindow = 7\n\
         [targets.anthropic]\nscale = 2.0",
    )
    .expect("the file is right");
    let a = catalog.get("a").expect("added");
    assert_eq!((a.window, a.scale), (Tokens::new(7), Scale::permille(2000)));
}

#[test]
fn a_target_may_be_given_whole() {
    let catalog = Catalog::with_toml(
        "[targets.local]\nwire = \"openai_chat\"\nprovider = \"local\"\nmodel = \"m\"\n\
         window = 32768\nvision = false\ninput = 0\nwrite = 1\nread = 1\n\
         cache_lifetime = \"10 min\"\nencoding = \"cl100k_base\"\n\
         images = { openai_patches = { factor = 1000, limit = 1536 } }",
    )
    .expect("the file is right");
    let local = catalog.get("local").expect("added");
    assert_eq!(
        (local.scale, local.documents, local.cache_lifetime_ms),
        (Scale::ONE, false, 600_000)
    );
}

#[test]
fn a_wrong_file_says_what_and_where() {
    let message = |text: &str| Catalog::with_toml(text).expect_err("wrong").to_string();
    assert_eq!(
        message("[targets.x]\nwindow = 5"),
        "targets.x: wire is missing; give it, or name a base with `extends = \"…\"` (known \
         targets are openai, anthropic, claude-opus-5-5, claude-sonnet-5-5)"
    );
    assert_eq!(
        message("[targets.anthropic]\nread = -1.0"),
        "targets.anthropic.read: expected a number from 0 up to 10, found -1"
    );
    assert_eq!(
        message("[targets.anthropic]\nscale = 0"),
        "targets.anthropic.scale: expected a number above 0 and up to 10, found 0"
    );
    assert_eq!(
        message("[targets.anthropic]\ncache_lifetime = \"soon\""),
        "targets.anthropic.cache_lifetime: expected a duration such as \"5m\", \"1h\" or \
         \"90s\", found \"soon\""
    );
    assert!(message("[targets.anthropic]\ninput = nan").contains("targets.anthropic.input"));
    assert!(message("[targets.anthropic]\nwindow = 0").contains("at least 1, found 0"));
    assert!(message("[targets.anthropic]\nwindw = 5").contains("windw"));
    assert!(message("[targets.x]\nextends = \"antropic\"").contains("did you mean \"anthropic\""));
    assert!(
        message("[targets.a]\nextends = \"b\"\n[targets.b]\nextends = \"a\"").contains("targets.a")
    );
}
