use serde_json::{Value, json};

use super::sample::{conversation, report, rich_target};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Of these objects, in the order in which they were written.
fn written_in_order(text: &str, fields: &[&str]) {
    let mut from = 0;
    for field in fields {
        let at = text[from..].find(&format!("\"{field}\":"));
        from += at.unwrap_or_else(|| panic!("{field} does not come after the field before it"));
    }
}

#[test]
fn the_json_begins_with_the_fields_that_scripts_rely_on() {
    let report = report(vec![conversation("c1", rich_target())]);
    let text = serde_json::to_string(&report).expect("plain values");
    written_in_order(
        &text,
        &[
            "conversations",
            "id",
            "source",
            "format",
            "messages",
            "calls",
            "results",
            "skipped",
            "targets",
            "target",
            "tokens_before",
            "tokens_after",
            "cleared_results",
            "epochs",
            "trigger",
            "cleared",
            "tokens_before",
            "tokens_after",
            "bytes",
            "prefix_stable",
            "cost",
            "none",
            "keep3",
            "afterturn",
            "turns",
            "count",
            "p50_ms",
            "p99_ms",
        ],
    );
}

#[test]
fn every_figure_is_a_number_in_the_unit_it_is_documented_in() {
    let report = report(vec![conversation("c1", rich_target())]);
    let value = serde_json::to_value(&report).expect("plain values");
    let told = &value["conversations"][0];
    assert_eq!(told["skipped"], json!({"summary": 12, "file-history-snapshot": 4}));
    let target = &told["targets"][0];
    assert_eq!(target["tokens_before"], json!(184_203));
    assert_eq!(target["cleared_results"], json!(74));
    assert_eq!(target["prefix_stable"], json!(0.9731));
    let cost = json!({"none": 4.213_377, "keep3": 3.6021, "afterturn": 2.1077});
    assert_eq!(target["cost"], cost);
    assert_eq!(target["pricing"]["input_usd_per_million"], json!(5.0));
    assert_eq!(target["pricing"]["write"], json!(1.25));
    assert_eq!(target["accounting"]["scale"], json!(1.08));
    assert_eq!(target["kept"]["newest"], json!({"results": 5, "tokens": 12_400}));
    assert_eq!(value["turns"], json!({"count": 131, "p50_ms": 6.6, "p99_ms": 13.0}));
}

#[test]
fn an_epoch_names_its_trigger_as_metrics_do() {
    let report = report(vec![conversation("c1", rich_target())]);
    let value = serde_json::to_value(&report).expect("plain values");
    let epoch = &value["conversations"][0]["targets"][0]["epochs"][1];
    assert_eq!(epoch["trigger"], json!("cold"));
    assert_eq!(keys(epoch).len(), 7, "{epoch}");
    assert_eq!(epoch["largest"]["call_id"], json!("call_2"));
}
