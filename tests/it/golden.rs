//! Everything a user sees, compared with the snapshots in `tests/snapshots/`.
//!
//! Each reporter gets recorded runs.

mod cluster;
mod compared;
mod converted;
mod created;
mod doctor;
pub(crate) mod file;
mod grammar;
mod json_page;
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

use juror::report::style::{
    Order, OutputEnvironment, Style, SubmissionFilter, TableListing, Verbosity,
};
use juror::report::terminal::Terminal;
use juror::report::{Reporter, Reporters, csv, junit};
use juror_core::exit_code::ExitCode;

use crate::golden::file::{
    ASCII, COLOR, PLAIN, QUIET, SharedWriter, VERBOSE, WIDE, check, check_json, check_listing,
    check_screen, check_snapshot, feed, json_document,
};
use crate::{interactive, wire};

#[test]
fn judge_shows_verdict_cause_and_first_difference() {
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
fn a_submission_alone_is_shown_with_its_tests() {
    let events = judged::tests_beside();
    check("beside", PLAIN, &events);
    check("beside-verbose", VERBOSE, &events);
    check_json("beside", &events);
}

#[test]
fn many_submissions_are_a_table_that_fits_the_width() {
    let events = judged::class_of_submissions();
    for width in [60, 80, 160] {
        check(&format!("class-{width}"), Style { width, ..PLAIN }, &events);
        let events = scores::judge_with_scores();
        check(&format!("class-scores-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("class-color", COLOR, &events);
    check("class-quiet", QUIET, &events);
    let listed = |file: &str, order, only| {
        check_listing(file, PLAIN, TableListing { order, only }, &events);
    };
    listed("class-by-name", Order::Name, None);
    listed("class-by-verdict", Order::Verdict, None);
    listed("class-failed", Order::Time, Some(SubmissionFilter::Failed));
    check_listing(
        "verify-unexpected",
        PLAIN,
        TableListing { order: Order::Surprise, only: Some(SubmissionFilter::Unexpected) },
        &judged::broken_expectations(),
    );
}

#[test]
fn cached_results_are_marked() {
    let events = judged::cached_results();
    check("known", PLAIN, &events);
    check_json("known", &events);
    let out = SharedWriter::default();
    feed(Reporter::AtEnd(junit::write, Box::new(out.clone())), &events);
    check_snapshot("known.xml", &out.text());
}

#[test]
fn a_class_is_a_table_of_points_that_names_copies() {
    let events = judged::class_folder();
    for width in [60, 80, 160] {
        check(&format!("folder-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("folder-quiet", QUIET, &events);
    check_json("folder", &events);
    let out = SharedWriter::default();
    feed(Reporter::AtEnd(csv::write, Box::new(out.clone())), &events);
    check_snapshot("folder.csv", &out.text());
}

#[test]
fn output_depends_on_terminal_pipe_or_file() {
    let terminal = OutputEnvironment {
        out_is_terminal: true,
        err_is_terminal: true,
        term: "xterm-256color".to_owned(),
        locale: "de_DE.UTF-8".to_owned(),
        width: Some(80),
        ..OutputEnvironment::default()
    };
    let check = |name: &str, environment: OutputEnvironment, style: Style, can_redraw: bool| {
        assert_eq!(
            (environment.style(Verbosity::Normal), environment.can_redraw()),
            (style, can_redraw)
        );
        check(
            &format!("place-{name}"),
            environment.style(Verbosity::Normal),
            &judged::class_of_submissions(),
        );
    };
    let (color, none) = (Style { color: true, ..PLAIN }, OutputEnvironment::default());
    check("terminal", terminal.clone(), color, true);
    check("ci", OutputEnvironment { ci: true, ..terminal.clone() }, color, false);
    check("no-color", OutputEnvironment { no_color: true, ..terminal.clone() }, PLAIN, true);
    check("dumb", OutputEnvironment { term: "dumb".to_owned(), ..terminal.clone() }, PLAIN, false);
    check(
        "ascii",
        OutputEnvironment { locale: "C".to_owned(), ..terminal.clone() },
        Style { unicode: false, ..color },
        true,
    );
    let piped = OutputEnvironment { out_is_terminal: false, ..terminal };
    check("piped", piped, PLAIN, true);
    check("file", none, Style { width: 100, ..PLAIN }, false);
}

#[test]
fn a_single_failed_submission_is_shown_in_full() {
    let events = judged::long_input();
    for width in [60, 80, 160] {
        check(&format!("one-{width}"), Style { width, ..PLAIN }, &events);
    }
    check("one-ascii", ASCII, &events);
    check("one-quiet", QUIET, &events);
}

#[test]
fn each_kind_of_difference_has_its_own_form() {
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
fn exceeded_limits_and_crashes_are_named() {
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
    for line in json_document(&events).lines() {
        assert!(!line.contains("\"verdict\": \""), "a verdict without a judgement: {line}");
    }
}

#[test]
fn a_report_is_the_same_if_jobs_travel_as_bytes() {
    let fixture = interactive::fixture();
    fixture.write("crash.sh", "read -r a b; echo lost >&2; exit 3\n");
    let line = "judge @sum @sum/submissions/accepted/right.sh @crash.sh --jobs 1";
    let by = |wrapper| {
        let events = record::record_with_wrapper(wrapper, &fixture, line, ExitCode::Rejected);
        json_document(&events)
    };
    assert_eq!(by(Some(wire::wrap_in_wire)), by(None));
}

#[test]
fn an_interaction_is_shown_with_its_times() {
    let events = validators::judge_interactive();
    check("live-verbose", VERBOSE, &events);
    check("live-quiet", QUIET, &events);
    check_json("live", &events);
}

#[test]
fn messages_of_an_output_validator_are_shown_and_its_faults_are_judge_errors() {
    let events = validators::judge_with_explanations();
    check("validator-verbose", VERBOSE, &events);
    check("validator-quiet", QUIET, &events);
    check_json("validator", &events);
}

#[test]
fn scores_are_shown_by_group() {
    let events = scores::judge_with_scores();
    check("scores", PLAIN, &events);
    check("scores-verbose", VERBOSE, &events);
    check("scores-color", COLOR, &events);
    check("scores-quiet", QUIET, &events);
    check_json("scores", &events);
    check("scores-selected", PLAIN, &scores::judge_selected_cases());
    let events = scores::verify_with_broken_score();
    check("scores-verify", PLAIN, &events);
    check("scores-verify-wide", WIDE, &events);
    check("scores-verify-quiet", QUIET, &events);
}

#[test]
fn verify_shows_a_table_and_broken_expectations() {
    let events = judged::broken_expectations();
    check("verify", PLAIN, &events);
    check("verify-wide", WIDE, &events);
    check("verify-color", Style { color: true, ..WIDE }, &events);
    check("verify-quiet", QUIET, &events);
    check("verify-verbose", VERBOSE, &events);
    check_json("verify", &events);
    check("verify-good", PLAIN, &judged::verify_good());
    let events = judged::spared_runs();
    check("verify-spared", PLAIN, &events);
    check("verify-spared-verbose", VERBOSE, &events);
    check_json("verify-spared", &events);
}

#[test]
fn an_explanation_follows_the_verdict() {
    let events = judged::explained_submissions();
    check("judge-explain", PLAIN, &events);
    check("judge-explain-quiet", QUIET, &events);
    check_json("judge-explain", &events);
}

#[test]
fn a_search_shows_the_input_and_how_it_was_found() {
    let events = searches::found_counterexample();
    check("stress", PLAIN, &events);
    check("stress-ascii", ASCII, &events);
    check("stress-color", COLOR, &events);
    check("stress-quiet", QUIET, &events);
    check_json("stress", &events);
    check("stress-flaky", PLAIN, &searches::flaky_crash());
    check("stress-live", PLAIN, &searches::interactive_search());
    check_json("stress-live", &searches::interactive_search());
    let events = searches::fruitless_search();
    check("stress-nothing", PLAIN, &events);
    check("stress-nothing-quiet", QUIET, &events);
    check_json("stress-nothing", &events);
    check("stress-interrupted", PLAIN, &searches::interrupted_search());
}

#[test]
fn diagnostics_show_the_line_and_the_help() {
    let events = judged::unusable_package();
    check("diagnostics", PLAIN, &events);
    check("diagnostics-ascii", ASCII, &events);
    check("diagnostics-color", COLOR, &events);
    check("diagnostics-quiet", QUIET, &events);
    check_json("diagnostics", &events);
}

#[test]
fn generate_counts_cases_and_lists_them_on_request() {
    let events = recipes::generate_run();
    check("generate", PLAIN, &events);
    check("generate-verbose", VERBOSE, &events);
    check("generate-quiet", QUIET, &events);
    check_json("generate", &events);
    let events = recipes::generate_check();
    check("generate-check", PLAIN, &events);
    check_json("generate-check", &events);
}

#[test]
fn cases_from_a_grammar_are_listed_with_their_purpose() {
    let events = proposals::new_cases();
    check("from-grammar", PLAIN, &events);
    check("from-grammar-wide", WIDE, &events);
    check("from-grammar-quiet", QUIET, &events);
    check_json("from-grammar", &events);
    let events = proposals::no_new_cases();
    check("from-grammar-nothing", PLAIN, &events);
    check("from-grammar-nothing-verbose", VERBOSE, &events);
}

#[test]
fn an_interrupted_command_names_unfinished_work() {
    let events = judged::judge_interrupted();
    check("interrupted", PLAIN, &events);
    check("interrupted-quiet", QUIET, &events);
    check_json("interrupted", &events);
    check("interrupted-generate", PLAIN, &recipes::interrupted_run());
}

#[test]
fn each_package_is_reported_in_full_before_the_next() {
    let events = judged::several_packages();
    check("packages", PLAIN, &events);
    check_screen("packages-screen", PLAIN, &events);
    check_screen("packages-verbose-screen", VERBOSE, &events);
    check("packages-quiet", QUIET, &events);
    check_json("packages", &events);
    check_screen("verify-screen", PLAIN, &judged::broken_expectations());
    let events = judged::packages_interrupted();
    check("packages-interrupted", PLAIN, &events);
    check_json("packages-interrupted", &events);
    let events = packages::unusable_host();
    check("packages-no-host", PLAIN, &events);
    check_json("packages-no-host", &events);
    let events = recipes::check_of_two_packages();
    check("packages-generated", PLAIN, &events);
    check_screen("packages-generated-screen", PLAIN, &events);
    check("packages-generated-quiet", QUIET, &events);
    check_json("packages-generated", &events);
}

#[test]
fn every_fault_of_a_recipe_is_shown_with_its_line() {
    let events = recipes::recipe_faults();
    check("recipe-faults", PLAIN, &events);
    check_json("recipe-faults", &events);
}

#[test]
fn convert_lists_losses() {
    let events = converted::conversion_with_losses();
    check("convert", PLAIN, &events);
    check("convert-quiet", QUIET, &events);
    check_json("convert", &events);
    check("convert-equal", PLAIN, &converted::conversion_without_losses());
}

#[test]
fn a_new_package_is_shown_with_files_and_next_steps() {
    let events = created::new_game();
    check("new", PLAIN, &events);
    check("new-quiet", QUIET, &events);
    check_json("new", &events);
}

#[test]
fn run_shows_everything_the_program_wrote() {
    let events = created::crashed_run(false);
    check("run", PLAIN, &events);
    check_json("run", &events);
    check("run-by-hand", PLAIN, &created::played_run());
    // Standard output has only the program's output.
    let (out, err) = (SharedWriter::default(), SharedWriter::default());
    let terminal = Terminal::new(out.clone(), err.clone(), PLAIN);
    feed(Reporter::Live(Box::new(terminal)), &created::crashed_run(true));
    assert_eq!(out.text(), "one\n\x1b[31mtwo\tx");
    check_snapshot("run-raw.txt", &err.text());
}

#[test]
fn a_package_is_shown_as_a_tree() {
    let events = created::package_listing(false);
    check("show", PLAIN, &events);
    check("show-color", COLOR, &events);
    check("show-case", PLAIN, &created::package_listing(true));
    check_json("show-case", &created::package_listing(true));
}

#[test]
fn mutants_are_listed_or_shown_with_their_lines() {
    check("mutants", PLAIN, &created::mutant_listing(false));
    check("mutants-ascii", ASCII, &created::mutant_listing(false));
    check("mutants-one", COLOR, &created::mutant_listing(true));
    check_json("mutants-one", &created::mutant_listing(true));
}

#[test]
fn the_cache_is_shown_pruned_and_checked() {
    for action in ["stat", "prune", "verify"] {
        check(&format!("cache-{action}"), PLAIN, &created::cache_report(action));
        check_json(&format!("cache-{action}"), &created::cache_report(action));
    }
}

#[test]
fn languages_are_listed_with_their_tools_or_what_to_install() {
    check("languages", PLAIN, &created::language_listing());
    check_json("languages", &created::language_listing());
}

#[test]
fn strength_shows_the_score_and_missed_programs() {
    let events = strengths::record_strength(false);
    check("strength", PLAIN, &events);
    check("strength-color", COLOR, &events);
    check("strength-verbose", VERBOSE, &events);
    check("strength-quiet", QUIET, &events);
    check_json("strength", &events);
    check("strength-shut", PLAIN, &strengths::record_strength(true));
    use juror_data::strength::result::StrengthRating::{A, B, C, D, E};
    assert_eq!(strengths::grades_of_scores(), [A, A, B, C, D, E]);
}

#[test]
fn compare_shows_the_result_and_the_place() {
    let events = compared::right_output();
    check("compare-right", PLAIN, &events);
    check("compare-right-quiet", QUIET, &events);
    check_json("compare-right", &events);
    let events = compared::wrong_output();
    check("compare-wrong", PLAIN, &events);
    check("compare-wrong-color", COLOR, &events);
    check("compare-wrong-quiet", QUIET, &events);
    check_json("compare-wrong", &events);
    let events = compared::far_number();
    check("compare-number", PLAIN, &events);
    check_json("compare-number", &events);
}

#[test]
fn an_invalid_input_is_shown_with_line_and_column() {
    let events = grammar::checked_inputs();
    check("grammar-check", PLAIN, &events);
    check("grammar-check-quiet", QUIET, &events);
    check_json("grammar-check", &events);
}

#[test]
fn every_fault_of_a_grammar_is_shown_with_line_and_column() {
    check("grammar-broken", PLAIN, &grammar::broken_grammar());
    check("grammar-unsatisfied", PLAIN, &grammar::unsatisfied_grammars());
}

#[test]
fn bounds_are_shown_in_a_table() {
    let events = grammar::listed_bounds();
    check("grammar-bounds", PLAIN, &events);
    check_json("grammar-bounds", &events);
    check("grammar-bounds-dependent", PLAIN, &grammar::dependent_bounds());
}

#[test]
fn doctor_describes_each_kind_of_machine() {
    let machines = [
        ("doctor-server", doctor::contest_server()),
        ("doctor-container", doctor::container()),
        ("doctor-closed", doctor::locked_down_machine()),
        ("doctor-freebsd", doctor::freebsd_machine()),
    ];
    for (file, facts) in &machines {
        let events = doctor::record_diagnosis(facts);
        check(file, PLAIN, &events);
        check(&format!("{file}-quiet"), QUIET, &events);
        check_json(file, &events);
    }
}

#[test]
fn doctor_and_cluster_status_describe_servers() {
    for (name, seen) in [
        ("", cluster::busy_server()),
        ("-poor", cluster::insecure_server()),
        ("-worker", cluster::workers_view()),
    ] {
        let recording = cluster::record_diagnosis(seen.clone());
        let file = format!("cluster-doctor{name}");
        check(&file, PLAIN, &recording);
        check(&format!("{file}-quiet"), QUIET, &recording);
        check_json(&file, &recording);
        let recording = cluster::record_survey(seen);
        let file = format!("cluster-status{name}");
        check(&file, PLAIN, &recording);
        schema::check(&file, &recording, &json_document(&recording));
    }
}

struct ClosedPipe;

impl std::io::Write for ClosedPipe {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_returned_unchanged() {
    let check = |reporter: Reporter<'_>| {
        let mut reporters = Reporters::new(vec![reporter]);
        let events = judged::accepted_and_wrong();
        events.iter().for_each(|event| reporters.show_event(event));
        reporters.finish(None);
        let failed = reporters.first_error().expect("the pipe is closed");
        assert_eq!(failed.kind(), std::io::ErrorKind::BrokenPipe);
    };
    let terminal = Terminal::new(ClosedPipe, Vec::new(), PLAIN);
    check(Reporter::Live(Box::new(terminal)));
    check(Reporter::AtEnd(csv::write, Box::new(ClosedPipe)));
}
