//! Everything a user sees, compared with the snapshots in `tests/snapshots/`.
//!
//! Recorded runs are fed to each reporter.

mod cluster;
mod compared;
mod converted;
mod created;
mod doctor;
pub(crate) mod file;
mod grammar;
mod judged;
mod keys;
mod packages;
mod proposals;
mod recipes;
mod record;
mod schema;
mod scores;
mod searches;
pub(crate) mod strengths;
mod tools;
mod validators;

use juror::model::exit_code::ExitCode;
use juror::report::style::{Listing, Only, Order, Style, Surroundings, Verbosity};
use juror::report::terminal::Terminal;
use juror::report::{Reporter, Reporters, csv, junit};

use crate::golden::file::{
    ASCII, COLOR, PLAIN, QUIET, Screen, VERBOSE, WIDE, check, check_json, check_listing,
    check_screen, check_snapshot, document, feed,
};
use crate::golden::keys::{Keys, check_keys, find_written, own_keys};
use crate::{live, wire};

#[test]
fn judging_shows_verdict_cause_and_first_difference() {
    let events = judged::accepted_and_wrong();
    check("judge", PLAIN, &events);
    check("judge-wide", WIDE, &events);
    check("judge-color", COLOR, &events);
    check("judge-ascii", ASCII, &events);
    check("judge-quiet", QUIET, &events);
    check("judge-verbose", VERBOSE, &events);
    check_json("judge", &events);
}

#[test]
fn many_submissions_are_a_table_that_fits_the_width() {
    let events = judged::class();
    for width in [60, 80, 160] {
        check(&format!("class-{width}"), Style { width, ..PLAIN }, &events);
        let events = scores::judge();
        check(&format!("class-scores-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("class-color", COLOR, &events);
    check("class-quiet", QUIET, &events);
    let listed = |file: &str, order, only| {
        check_listing(file, PLAIN, Listing { order, only }, &events);
    };
    listed("class-by-name", Order::Name, None);
    listed("class-by-verdict", Order::Verdict, None);
    listed("class-failed", Order::Time, Some(Only::Failed));
    check_listing(
        "verify-unexpected",
        PLAIN,
        Listing { order: Order::Surprise, only: Some(Only::Unexpected) },
        &judged::verify(),
    );
}

#[test]
fn what_is_known_from_earlier_commands_is_marked() {
    let events = judged::known();
    check("known", PLAIN, &events);
    check_json("known", &events);
    let out = Screen::default();
    feed(Reporter::AtEnd(junit::write, Box::new(out.clone())), &events);
    check_snapshot("known.xml", &out.text());
}

#[test]
fn a_class_is_a_table_of_points_that_names_copies() {
    let events = judged::folder();
    for width in [60, 80, 160] {
        check(&format!("folder-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("folder-quiet", QUIET, &events);
    check_json("folder", &events);
    let out = Screen::default();
    feed(Reporter::AtEnd(csv::write, Box::new(out.clone())), &events);
    check_snapshot("folder.csv", &out.text());
}

#[test]
fn terminals_pipes_and_files_are_told_apart() {
    let terminal = Surroundings {
        out_is_terminal: true,
        err_is_terminal: true,
        term: "xterm-256color".to_owned(),
        locale: "de_DE.UTF-8".to_owned(),
        width: Some(80),
        ..Surroundings::default()
    };
    let check = |name: &str, around: Surroundings, style: Style, can_redraw: bool| {
        assert_eq!((around.style(Verbosity::Normal), around.can_redraw()), (style, can_redraw));
        check(&format!("place-{name}"), around.style(Verbosity::Normal), &judged::class());
    };
    let (color, none) = (Style { color: true, ..PLAIN }, Surroundings::default());
    check("terminal", terminal.clone(), color, true);
    check("ci", Surroundings { ci: true, ..terminal.clone() }, color, false);
    check("no-color", Surroundings { no_color: true, ..terminal.clone() }, PLAIN, true);
    check("dumb", Surroundings { term: "dumb".to_owned(), ..terminal.clone() }, PLAIN, false);
    check(
        "ascii",
        Surroundings { locale: "C".to_owned(), ..terminal.clone() },
        Style { unicode: false, ..color },
        true,
    );
    let piped = Surroundings { out_is_terminal: false, ..terminal };
    check("piped", piped, PLAIN, true);
    check("file", none, Style { width: 100, ..PLAIN }, false);
}

#[test]
fn one_submission_that_failed_is_shown_in_full() {
    let events = judged::one();
    for width in [60, 80, 160] {
        check(&format!("one-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("one-ascii", ASCII, &events);
    check("one-quiet", QUIET, &events);
}

#[test]
fn each_kind_of_difference_is_shown_in_its_own_way() {
    let events = judged::differences();
    check("differences-verbose", VERBOSE, &events);
    check("differences-verbose-wide", Style { width: 120, ..VERBOSE }, &events);
    check("differences-verbose-ascii", Style { unicode: false, ..VERBOSE }, &events);
    check_json("differences", &events);
}

#[test]
fn a_compile_error_shows_the_first_errors() {
    let events = judged::compile_error();
    check("compile-error", PLAIN, &events);
    check("compile-error-verbose", VERBOSE, &events);
    check("compile-error-quiet", QUIET, &events);
    check_json("compile-error", &events);
}

#[test]
fn passed_limits_and_crashes_say_which_and_how() {
    let events = judged::limits_and_crashes();
    check("limits", PLAIN, &events);
    check("limits-wide", WIDE, &events);
    check("limits-verbose", VERBOSE, &events);
    check("limits-quiet", QUIET, &events);
    check_json("limits", &events);
}

#[test]
fn a_judge_error_never_looks_like_a_verdict() {
    let events = judged::judge_error();
    check("judge-error", PLAIN, &events);
    check("judge-error-color", COLOR, &events);
    check("judge-error-quiet", QUIET, &events);
    check_json("judge-error", &events);
    for line in document(&events).lines() {
        assert!(!line.contains("\"verdict\": \""), "a verdict without a judgement: {line}");
    }
}

#[test]
fn a_report_is_the_same_where_jobs_travel_as_bytes() {
    let fixture = live::fixture();
    fixture.write("crash.sh", "read -r a b; echo lost >&2; exit 3\n");
    let line = "judge @sum @sum/submissions/accepted/right.sh @crash.sh --jobs 1";
    let by = |around| {
        let events = record::record_around(around, &fixture, line, ExitCode::Rejected);
        document(&events)
    };
    assert_eq!(by(Some(wire::around)), by(None));
}

#[test]
fn what_was_said_is_shown_with_its_times() {
    let events = validators::live();
    check("live-verbose", VERBOSE, &events);
    check("live-quiet", QUIET, &events);
    check_json("live", &events);
}

#[test]
fn an_output_validator_says_why_and_its_faults_are_none_of_the_submission() {
    let events = validators::judge();
    check("validator-verbose", VERBOSE, &events);
    check("validator-quiet", QUIET, &events);
    check_json("validator", &events);
}

#[test]
fn scores_are_shown_by_group() {
    let events = scores::judge();
    check("scores", PLAIN, &events);
    check("scores-verbose", VERBOSE, &events);
    check("scores-color", COLOR, &events);
    check("scores-quiet", QUIET, &events);
    check_json("scores", &events);
    check("scores-selected", PLAIN, &scores::selected());
    let events = scores::verify();
    check("scores-verify", PLAIN, &events);
    check("scores-verify-wide", WIDE, &events);
    check("scores-verify-quiet", QUIET, &events);
}

#[test]
fn verifying_shows_a_table_and_broken_expectations() {
    let events = judged::verify();
    check("verify", PLAIN, &events);
    check("verify-wide", WIDE, &events);
    check("verify-color", Style { color: true, ..WIDE }, &events);
    check("verify-quiet", QUIET, &events);
    check("verify-verbose", VERBOSE, &events);
    check_json("verify", &events);
    check("verify-good", PLAIN, &judged::verify_good());
    let events = judged::spared();
    check("verify-spared", PLAIN, &events);
    check("verify-spared-verbose", VERBOSE, &events);
    check_json("verify-spared", &events);
}

#[test]
fn why_a_submission_fails_is_told_after_its_verdict() {
    let events = judged::explained();
    check("judge-explain", PLAIN, &events);
    check("judge-explain-quiet", QUIET, &events);
    check_json("judge-explain", &events);
}

#[test]
fn a_search_shows_the_input_and_how_it_was_found() {
    let events = searches::found();
    check("stress", PLAIN, &events);
    check("stress-ascii", ASCII, &events);
    check("stress-color", COLOR, &events);
    check("stress-quiet", QUIET, &events);
    check_json("stress", &events);
    check("stress-flaky", PLAIN, &searches::flaky());
    check("stress-live", PLAIN, &searches::live());
    check_json("stress-live", &searches::live());
    let events = searches::nothing();
    check("stress-nothing", PLAIN, &events);
    check("stress-nothing-quiet", QUIET, &events);
    check_json("stress-nothing", &events);
    check("stress-interrupted", PLAIN, &searches::interrupted());
}

#[test]
fn diagnostics_show_the_line_and_the_way_out() {
    let events = judged::diagnostics();
    check("diagnostics", PLAIN, &events);
    check("diagnostics-ascii", ASCII, &events);
    check("diagnostics-color", COLOR, &events);
    check("diagnostics-quiet", QUIET, &events);
    check_json("diagnostics", &events);
}

#[test]
fn generating_counts_and_lists_on_request() {
    let events = recipes::written();
    check("generate", PLAIN, &events);
    check("generate-verbose", VERBOSE, &events);
    check("generate-quiet", QUIET, &events);
    check_json("generate", &events);
    let events = recipes::checked();
    check("generate-check", PLAIN, &events);
    check_json("generate-check", &events);
}

#[test]
fn cases_from_a_grammar_are_listed_with_what_they_are_for() {
    let events = proposals::added();
    check("from-grammar", PLAIN, &events);
    check("from-grammar-wide", WIDE, &events);
    check("from-grammar-quiet", QUIET, &events);
    check_json("from-grammar", &events);
    let events = proposals::nothing();
    check("from-grammar-nothing", PLAIN, &events);
    check("from-grammar-nothing-verbose", VERBOSE, &events);
}

#[test]
fn an_interrupted_command_says_what_is_not_done() {
    let events = judged::judge_interrupted();
    check("interrupted", PLAIN, &events);
    check("interrupted-quiet", QUIET, &events);
    check_json("interrupted", &events);
    check("interrupted-generate", PLAIN, &recipes::interrupted());
}

#[test]
fn each_package_is_told_to_its_end_before_the_next_begins() {
    let events = judged::packages();
    check("packages", PLAIN, &events);
    check_screen("packages-screen", PLAIN, &events);
    check_screen("packages-verbose-screen", VERBOSE, &events);
    check("packages-quiet", QUIET, &events);
    check_json("packages", &events);
    check_screen("verify-screen", PLAIN, &judged::verify());
    let events = judged::packages_interrupted();
    check("packages-interrupted", PLAIN, &events);
    check_json("packages-interrupted", &events);
    let events = packages::no_host();
    check("packages-no-host", PLAIN, &events);
    check_json("packages-no-host", &events);
    let events = recipes::packages();
    check("packages-generated", PLAIN, &events);
    check_screen("packages-generated-screen", PLAIN, &events);
    check("packages-generated-quiet", QUIET, &events);
    check_json("packages-generated", &events);
}

#[test]
fn every_fault_of_a_recipe_is_shown_with_its_line() {
    let events = recipes::faults();
    check("recipe-faults", PLAIN, &events);
    check_json("recipe-faults", &events);
}

#[test]
fn converting_names_what_has_no_equivalent() {
    let events = converted::legacy();
    check("convert", PLAIN, &events);
    check("convert-quiet", QUIET, &events);
    check_json("convert", &events);
    check("convert-equal", PLAIN, &converted::equal());
}

#[test]
fn a_new_package_is_told_with_its_files_and_the_next_steps() {
    let events = created::game();
    check("new", PLAIN, &events);
    check("new-quiet", QUIET, &events);
    check_json("new", &events);
}

#[test]
fn one_run_is_told_with_all_that_it_wrote() {
    let events = created::run(false);
    check("run", PLAIN, &events);
    check_json("run", &events);
    check("run-by-hand", PLAIN, &created::played());
    // Standard output is for another program.
    let (out, err) = (Screen::default(), Screen::default());
    let terminal = Terminal::new(out.clone(), err.clone(), PLAIN);
    feed(Reporter::Live(Box::new(terminal)), &created::run(true));
    assert_eq!(out.text(), "one\n\x1b[31mtwo\tx");
    check_snapshot("run-raw.txt", &err.text());
}

#[test]
fn a_package_is_shown_as_a_tree() {
    let events = created::listing(false);
    check("show", PLAIN, &events);
    check("show-color", COLOR, &events);
    check("show-case", PLAIN, &created::listing(true));
    check_json("show-case", &created::listing(true));
}

#[test]
fn mutants_are_listed_or_shown_with_their_lines() {
    check("mutants", PLAIN, &created::mutants(false));
    check("mutants-ascii", ASCII, &created::mutants(false));
    check("mutants-one", COLOR, &created::mutants(true));
    check_json("mutants-one", &created::mutants(true));
}

#[test]
fn the_cache_is_shown_pruned_and_checked() {
    for action in ["stat", "prune", "verify"] {
        check(&format!("cache-{action}"), PLAIN, &created::cache(action));
        check_json(&format!("cache-{action}"), &created::cache(action));
    }
}

#[test]
fn languages_are_listed_with_their_tools_or_what_to_install() {
    check("languages", PLAIN, &created::languages());
    check_json("languages", &created::languages());
}

#[test]
fn the_strength_of_data_is_told_with_what_it_misses() {
    let events = strengths::measured(false);
    check("strength", PLAIN, &events);
    check("strength-color", COLOR, &events);
    check("strength-verbose", VERBOSE, &events);
    check("strength-quiet", QUIET, &events);
    check_json("strength", &events);
    check("strength-shut", PLAIN, &strengths::measured(true));
    use juror::model::strength::Grade::{A, B, C, D, E};
    assert_eq!(strengths::grades(), [A, A, B, C, D, E]);
}

#[test]
fn comparing_says_right_or_wrong_and_where() {
    let events = compared::right();
    check("compare-right", PLAIN, &events);
    check("compare-right-quiet", QUIET, &events);
    check_json("compare-right", &events);
    let events = compared::wrong();
    check("compare-wrong", PLAIN, &events);
    check("compare-wrong-color", COLOR, &events);
    check("compare-wrong-quiet", QUIET, &events);
    check_json("compare-wrong", &events);
    let events = compared::number();
    check("compare-number", PLAIN, &events);
    check_json("compare-number", &events);
}

#[test]
fn an_input_that_a_grammar_refuses_is_shown_with_its_place() {
    let events = grammar::checked();
    check("grammar-check", PLAIN, &events);
    check("grammar-check-quiet", QUIET, &events);
    check_json("grammar-check", &events);
}

#[test]
fn every_fault_of_a_grammar_is_shown_with_its_place() {
    check("grammar-broken", PLAIN, &grammar::broken());
    check("grammar-unsatisfied", PLAIN, &grammar::unsatisfied());
}

#[test]
fn bounds_stand_in_a_table() {
    let events = grammar::listed();
    check("grammar-bounds", PLAIN, &events);
    check_json("grammar-bounds", &events);
    check("grammar-bounds-dependent", PLAIN, &grammar::dependent());
}

#[test]
fn machines_of_every_kind_are_told_about() {
    let machines = [
        ("doctor-server", doctor::server()),
        ("doctor-container", doctor::container()),
        ("doctor-closed", doctor::closed()),
        ("doctor-freebsd", doctor::freebsd()),
    ];
    for (file, facts) in &machines {
        let events = doctor::diagnosis(facts);
        check(file, PLAIN, &events);
        check(&format!("{file}-quiet"), QUIET, &events);
        check_json(file, &events);
    }
}

#[test]
fn servers_for_workers_are_told_about() {
    let mut written = Keys::new();
    for (name, seen) in
        [("", cluster::busy()), ("-poor", cluster::poor()), ("-worker", cluster::of_a_worker())]
    {
        let told = cluster::diagnosis(seen.clone());
        let file = format!("cluster-doctor{name}");
        check(&file, PLAIN, &told);
        check(&format!("{file}-quiet"), QUIET, &told);
        check_json(&file, &told);
        let told = cluster::survey(seen);
        check(&format!("cluster-status{name}"), PLAIN, &told);
        find_written(&document(&told), &mut written);
    }
    check_keys(&own_keys(&written, "cluster"), "docs/cluster.md");
}

/// A writer whose reader has gone away.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_returned_as_what_it_is() {
    let check = |reporter: Reporter<'_>| {
        let mut reporters = Reporters::new(vec![reporter]);
        let events = judged::accepted_and_wrong();
        events.iter().for_each(|event| reporters.event(event));
        reporters.finish(None);
        let failed = reporters.failed().expect("the pipe is closed");
        assert_eq!(failed.kind(), std::io::ErrorKind::BrokenPipe);
    };
    let terminal = Terminal::new(Closed, Vec::new(), PLAIN);
    check(Reporter::Live(Box::new(terminal)));
    check(Reporter::AtEnd(csv::write, Box::new(Closed)));
}
