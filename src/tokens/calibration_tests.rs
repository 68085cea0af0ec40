use super::*;

fn calls(overhead: u64, permille: u64, count: u64) -> Calibration {
    let mut calibration = Calibration::default();
    for call in 1..=count {
        let counted = call * 1000;
        let reported = overhead + counted * permille / 1000;
        calibration.call("m", Tokens::new(counted), Tokens::new(reported));
    }
    calibration
}

#[test]
fn the_scale_is_found_whatever_requests_carry_beside_the_history() {
    assert_eq!(calls(0, 1200, 20).scale(), Some(Scale::permille(1200)));
    let heavy = calls(20_000, 1200, 20);
    assert_eq!(heavy.scale(), Some(Scale::permille(1200)));
    assert_eq!(heavy.fixed_overhead(), Some(Tokens::new(20_000)));
    assert_eq!(heavy.error_permille(), Some(0));
}

#[test]
fn fewer_than_eight_pairs_say_nothing() {
    let few = calls(0, 1200, 8);
    assert_eq!((few.scale(), few.fixed_overhead(), few.error_permille()), (None, None, None));
    assert_eq!(calls(0, 1200, 9).scale(), Some(Scale::permille(1200)));
}

#[test]
fn calls_on_two_sides_of_an_epoch_are_not_compared() {
    let mut calibration = calls(0, 1000, 10);
    calibration.epoch();
    calibration.call("m", Tokens::new(12_000), Tokens::new(90_000));
    assert_eq!(calibration.pairs, calls(0, 1000, 10).pairs);
}

#[test]
fn the_overhead_stays_known_across_an_epoch() {
    let mut calibration = calls(5_000, 1000, 10);
    calibration.epoch();
    calibration.call("m", Tokens::new(2_000), Tokens::new(7_000));
    assert_eq!(calibration.fixed_overhead(), Some(Tokens::new(5_000)));
    assert_eq!(calibration.error_permille(), Some(0));
}

#[test]
fn a_shrink_is_not_compared() {
    let mut calibration = calls(0, 1000, 10);
    calibration.call("m", Tokens::new(11_000), Tokens::new(3_000));
    calibration.call("m", Tokens::new(10_000), Tokens::new(4_000));
    assert_eq!(calibration.pairs.n, 9);
}

#[test]
fn calls_of_two_models_are_not_compared() {
    let mut calibration = calls(0, 1000, 10);
    calibration.call("other", Tokens::new(12_000), Tokens::new(90_000));
    calibration.call("m", Tokens::new(13_000), Tokens::new(95_000));
    assert_eq!(calibration.pairs.n, 9);
    calibration.call("m", Tokens::new(14_000), Tokens::new(96_000));
    assert_eq!(calibration.pairs.n, 10);
}

#[test]
fn a_call_that_reports_nothing_changes_nothing() {
    let mut calibration = calls(0, 1000, 10);
    calibration.call("m", Tokens::new(50_000), Tokens::ZERO);
    assert_eq!(calibration, calls(0, 1000, 10));
}

#[test]
fn an_absurd_ratio_is_clamped() {
    assert_eq!(calls(0, 9000, 20).scale(), Some(Scale::permille(2500)));
    assert_eq!(calls(0, 10, 20).scale(), Some(Scale::permille(500)));
}

#[test]
fn the_error_is_that_of_the_prediction_made_before_the_report() {
    let mut calibration = calls(10_000, 1000, 10);
    // Predicted 10 000 + 20 000, reported 40 000: a quarter off.
    calibration.call("m", Tokens::new(20_000), Tokens::new(40_000));
    assert_eq!(calibration.predictions, 2);
    assert_eq!(calibration.error_permille(), Some(125));
}

#[test]
fn it_survives_its_json_and_extreme_figures() {
    let mut calibration = calls(20_000, 1200, 20);
    let json = serde_json::to_string(&calibration).expect("it serializes");
    assert_eq!(serde_json::from_str::<Calibration>(&json).ok(), Some(calibration.clone()));
    for _ in 0..10 {
        calibration.call("m", Tokens::ZERO, Tokens::new(1));
        calibration.call("m", Tokens::new(u64::MAX), Tokens::new(u64::MAX));
    }
    assert!(calibration.scale().is_some());
}
