//! `juror-serve`: the command line.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use juror::ops::context::Context;
use juror_core::event::Event;
use juror_core::exit_code::ExitCode as JurorExitCode;
use juror_core::stop::Stop;
use juror_serve::{ServeOptions, serve};

/// juror as a server: judges and runs programs that come over HTTP
///
/// It answers /grade with lines of `juror grade`, /run_code as SandboxFusion does, and /api/v2/execute as Piston does.
/// docs/serve.md has the details.
#[derive(Debug, Parser)]
#[command(name = "juror-serve", version)]
struct Arguments {
    #[command(flatten)]
    options: ServeOptions,
}

fn main() -> ExitCode {
    // The worker of `--executor local` is this program.
    if std::env::args_os().nth(1).is_some_and(|word| word == "worker") {
        return juror::cli::run().into();
    }
    juror::cli::exit_on_panic();
    let options = Arguments::parse().options;
    let context = Context::new(|event| match &event.event {
        Event::HostReady { shortfall: Some(shortfall), .. } => {
            tell(&format!("warning: {}; {}", shortfall.message, shortfall.help));
        }
        Event::Diagnosed(found) => tell(&found.to_string()),
        _ => {}
    });
    let served = serve(&options, context, |address| {
        tell(&format!("juror-serve listens on http://{address}/"));
    });
    let code = served.map_or_else(
        |stop| {
            tell(&format!("error: {}", stop.to_string().replace('\n', "; ")));
            match stop {
                Stop::Refused(..) => JurorExitCode::Usage,
                _ => JurorExitCode::JudgeError,
            }
        },
        |()| JurorExitCode::Success,
    );
    ExitCode::from(code.number())
}

fn tell(text: &str) {
    // Nobody may read it.
    _ = writeln!(io::stderr(), "{text}");
}
