//! How runs were measured: limits, isolation, the command line.

use maud::{Markup, html};

use crate::report::document::Report;
use crate::report::html::text::section;
use juror_core::progress::PackageReport;
use juror_core::text::{count, exact_seconds, printable, visible};

pub(super) fn measurement(report: &Report) -> Markup {
    html! {
        (section("how", "How it was measured", html! {
            dl.facts {
                @if !report.session.command_line.is_empty() {
                    dt { "Command line" } dd { code { (printable(&report.session.command_line)) } }
                }
                @if let Some(mechanism) = &report.session.mechanism { dt { "Sandbox" } dd { (printable(mechanism)) } }
                @if let Some(isolation) = &report.session.isolation {
                    dt { "Isolation" }
                    dd {
                        (isolation.by)
                        @if let Some(warning) = &isolation.warning {
                            p { "Warning: " (printable(&warning.message)) }
                            @for reason in &warning.reasons { p.soft { (printable(reason)) } }
                            p.soft { (printable(&warning.help)) }
                        }
                    }
                }
                @for package in &report.session.packages { (package_facts(package, report.session.packages.len() > 1)) }
                dt { "Times" } dd { "CPU time is user and system time of all processes of a run." }
            }
        }))
    }
}

fn package_facts(package: &PackageReport, is_one_of_many: bool) -> Markup {
    let path = visible(package.path.as_os_str().as_encoded_bytes());
    html! {
        dt { "Package" }
        dd {
            (path)
            @if is_one_of_many { " (" (printable(&package.name)) ")" }
            @if !package.format.is_empty() {
                p.soft { (package.format) ": " (printable(&package.format_reason)) }
            }
            @if (1..package.all_test_cases).contains(&package.test_cases) {
                p.soft { (package.test_cases) " of " (count(package.all_test_cases, "test case")) " were selected" }
            }
        }
        @if let Some(limits) = &package.limits {
            dt { "Limits of a run" }
            dd {
                (exact_seconds(limits.cpu_time())) " CPU time (" (printable(&limits.cpu_origin)) ")"
                @if let Some(wall) = limits.run.wall_time { ", " (exact_seconds(wall)) " by the clock" }
                @if let Some(memory) = limits.run.memory { ", " (memory) " memory" } @else { ", memory not limited" }
                @if let Some(output) = limits.run.output { ", " (output) " output" }
                @if let Some(processes) = limits.run.processes { ", " (processes) " processes and threads" }
            }
        }
    }
}
