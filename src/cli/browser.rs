//! Chromium, which makes a PDF of a page.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::executor::scratch::{self, Use};
use crate::model::forks;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;

/// Its names on different systems.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// A page takes a second or two, so this is generous.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser on this machine.
pub(super) struct Browser {
    program: PathBuf,
}

impl Browser {
    /// Finds the first one on PATH.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn find() -> Result<Self, Stop> {
        let path = env::var_os("PATH").unwrap_or_default();
        let places =
            |name: &&str| env::split_paths(&path).map(|dir| dir.join(name)).collect::<Vec<_>>();
        let found = NAMES.iter().flat_map(places).find(|program| program.is_file());
        match found {
            Some(program) => Ok(Self { program }),
            None => Err(Stop::usage(format!(
                "--pdf needs a browser, but PATH has none of {}; install chromium, or leave --pdf out \
                 and print the page from a browser",
                NAMES.join(", ")
            ))),
        }
    }

    /// The page as a PDF.
    ///
    /// # Errors
    /// If the browser fails.
    pub(super) fn pdf(&self, html: &str) -> Result<Vec<u8>, JudgeError> {
        let fault = |reason: String| {
            JudgeError::new(format!("make a PDF with {}", self.program.display()), reason)
                .help("leave --pdf out, and print the page from a browser")
        };
        let scratch = scratch::directory(Use::Pages)?;
        let dir = scratch.path();
        fs::write(dir.join("page.html"), html).map_err(|error| fault(error.to_string()))?;
        let mut command = Command::new(&self.program);
        command.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("HOME", dir).args([
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--no-pdf-header-footer",
            "--user-data-dir=profile",
            "--print-to-pdf=page.pdf",
        ]);
        if rustix::process::geteuid().is_root() {
            // Its own sandbox does not start for root. The page has no script, and its policy allows none.
            command.arg("--no-sandbox");
        }
        let child = forks::spawn(command.arg("page.html"));
        let mut child = child.map_err(|error| fault(error.to_string()))?;
        let begun = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if begun.elapsed() < PATIENCE => sleep(Duration::from_millis(20)),
                Ok(None) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(fault(format!("it took more than {} s", PATIENCE.as_secs())));
                }
                Err(error) => return Err(fault(error.to_string())),
            }
        };
        match fs::read(dir.join("page.pdf")) {
            Ok(pdf) if status.success() => Ok(pdf),
            _ => Err(fault(format!("it wrote no PDF, and ended with {status}"))),
        }
    }
}
