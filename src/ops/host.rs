//! Runs programs here or on workers, and stops them at Ctrl-C.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::ops::context::Context;
use crate::ops::options::{HostOptions, WorkerCommand};
use crate::ops::stop_handle::StopHandle;
use juror_core::event::{Event, Shortfall};
use juror_core::exit_code::ExitCode;
use juror_core::host::TriedIsolation;
use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::judgement::JudgeError;
use juror_core::language::probe::Probe;
use juror_core::language::toolchain::Toolchains;
use juror_core::stop::{Stop, ignores_hangup, interrupt, was_interruption_noticed};
use juror_core::text::printable;
use juror_judging::build::Builder;
use juror_judging::cache::result_cache::ResultCache;
use juror_judging::cache::store::is_private;
use juror_remote::link::{WorkerConnection, WorkerPipes};
use juror_remote::message::WorkerFacts;
use juror_remote::workers::Workers;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::executor::scheduler::{Scheduler, SlotQueue};
use juror_sandbox::sandbox::Machine;
use juror_sandbox::sandbox::host_tool::on_path;

pub struct Host {
    pub executor: Arc<dyn Executor>,
    uncached: Arc<dyn Executor>,
    pub isolation: Isolation,
    /// The cache directory for generated test data.
    pub generated_data: Option<PathBuf>,
    pub stop_handle: StopHandle,
    cache: ResultCache,
    toolchains: Arc<Toolchains>,
}

/// A second signal within this time counts as part of the first. A closing terminal sends several at once, and a
/// person who presses Ctrl-C twice still wants a clean end.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

impl Host {
    /// Starts the slots and reports their isolation. Signals stop runs, unless the context has a stop handle.
    pub fn start(options: &HostOptions, context: &Context) -> Result<Self, Stop> {
        if !options.executor.is_empty() {
            return Self::connect_workers(options, context);
        }
        let is_isolated =
            options.isolation != RequiredIsolation::Plain && cfg!(target_os = "linux");
        let cache = open_cache(options, is_isolated, context);
        let local = LocalExecutor::start(options.slots(), options.isolation)?;
        let found = local.host();
        let isolation = found.isolation();
        context.send_event(Event::HostReady {
            isolation,
            shortfall: shortfall(isolation, found.refused(), found.gaps()),
            most_at_once: found.max_simultaneous_runs(),
        });
        let stop_handle = command_stop_handle(context)?;
        let tools = Box::new(Machine);
        let mut host = Self::new(Arc::new(local), isolation, tools, stop_handle, cache, context);
        host.generated_data =
            options.cache.directory().filter(|dir| context.uses_cache && is_private(dir));
        Ok(host)
    }

    /// Connects to workers.
    fn connect_workers(options: &HostOptions, context: &Context) -> Result<Self, Stop> {
        let mut workers = Vec::new();
        for worker in &options.executor {
            workers.push(connect_worker(worker, options)?);
        }
        let accepts = |facts: &WorkerFacts| match (options.isolation, facts.isolation.is_full()) {
            (RequiredIsolation::Full, false) => Err(format!(
                "programs are not fully isolated there ({}), but --isolation=full demands it",
                facts.isolation
            )),
            _ => Ok(()),
        };
        let stop_handle = command_stop_handle(context)?;
        let workers = Arc::new(Workers::connect(workers, options.slots(), accepts)?);
        context.set_workers(Arc::clone(&workers));
        let facts = workers.facts();
        let weakest = facts.iter().max_by_key(|facts| facts.isolation);
        let isolation = weakest.map_or(Isolation::Plain, |facts| facts.isolation);
        let shortfall = weakest.and_then(|facts| facts.shortfall.clone());
        context.send_event(Event::HostReady { isolation, shortfall, most_at_once: None });
        let cache = open_cache(options, isolation != Isolation::Plain, context);
        let tools = workers.probe();
        Ok(Self::new(workers, isolation, tools, stop_handle, cache, context))
    }

    fn new(
        executor: Arc<dyn Executor>,
        isolation: Isolation,
        tools: Box<dyn Probe>,
        stop_handle: StopHandle,
        cache: ResultCache,
        context: &Context,
    ) -> Self {
        let uncached = context.wrap_executor(executor);
        let executor = cache.wrap(Arc::clone(&uncached));
        if let Some(knowledge) = cache.recalled() {
            context.set_memory(Arc::clone(knowledge));
        }
        stop_handle.set_executor(Some(Arc::clone(&executor)));
        let toolchains = Arc::new(Toolchains::new(tools));
        Self { executor, uncached, isolation, generated_data: None, stop_handle, cache, toolchains }
    }
}

/// Programs without isolation could write to the cache. Then it is used only if the user names it.
fn open_cache(options: &HostOptions, is_isolated: bool, context: &Context) -> ResultCache {
    let is_wanted =
        context.uses_cache && (is_isolated || options.cache.typed_directory().is_some());
    let dir = options.cache.directory().filter(|_| is_wanted);
    dir.map_or_else(ResultCache::default, |dir| {
        ResultCache::open(&dir, options.fresh).unwrap_or_else(|refused| {
            context.send_diagnostics([*refused]);
            ResultCache::default()
        })
    })
}

/// Returns the handle of the context, or one for signals.
fn command_stop_handle(context: &Context) -> Result<StopHandle, JudgeError> {
    let stop_handle = context.stop_handle.clone().unwrap_or_default();
    if context.stop_handle.is_none() {
        let handle = stop_handle.clone();
        stop_on_signal(move || handle.stop())?;
    }
    Ok(stop_handle)
}

const LOCAL_WORKER: &str = "local";

fn connect_worker(
    worker: &WorkerCommand,
    options: &HostOptions,
) -> Result<(String, WorkerPipes), Stop> {
    if ["nats://", "tls://"].iter().any(|scheme| worker.text.starts_with(scheme)) {
        let text = printable(&worker.text);
        return Err(Stop::usage(format!(
            "--executor: `{text}` is not a command; for a NATS server, write `juror-nats submit {text}`"
        )));
    }
    let command = match &worker.words[..] {
        [word] if word == LOCAL_WORKER => {
            let own = env::current_exe()
                .map_err(|error| JudgeError::new("find juror's own file", error))?;
            let mut command = Command::new(own);
            command.args(["worker", "--stdio", "--isolation", options.isolation.name()]);
            command
        }
        words => {
            // A command of the user, such as ssh, with the user's environment. Only absolute entries of the search
            // path count.
            let program = if words[0].contains('/') {
                PathBuf::from(&words[0])
            } else {
                on_path(&words[0]).into_iter().next().ok_or_else(|| {
                    let step = format!("start the worker `{}`", printable(&worker.text));
                    JudgeError::new(step, "its program is not on the search path")
                        .help("give a program that exists here, such as ssh, and its arguments")
                })?
            };
            let mut command = Command::new(program);
            command.args(&words[1..]);
            command
        }
    };
    let name = worker.text.clone();
    let pipes = WorkerConnection { name: name.clone(), command }.open()?;
    Ok((name, pipes))
}

/// At a signal, all work of the command ends, and `handler` is called.
pub fn stop_on_signal(handler: impl Fn() + Send + 'static) -> Result<(), JudgeError> {
    let is_first = AtomicBool::new(true);
    on_signal(move || {
        interrupt();
        handler();
        if is_first.swap(false, Ordering::Relaxed) {
            // Without this thread, only a second signal would end work that ignores the first.
            _ = thread::Builder::new().spawn(exit_if_work_continues);
        }
    })
}

/// Ends the process if its work continues for a second of CPU time. No file is half-written, since files get their
/// names when they are complete. The next juror removes temporary directories.
fn exit_if_work_continues() {
    const POLL_INTERVAL: Duration = Duration::from_millis(100);
    let cpu_time = || {
        let now = clock_gettime(ClockId::ProcessCPUTime);
        Duration::try_from(now).unwrap_or_default()
    };
    let start = cpu_time();
    while !was_interruption_noticed() {
        thread::sleep(POLL_INTERVAL);
        if !was_interruption_noticed() && cpu_time().saturating_sub(start) > GRACE_PERIOD {
            _ = writeln!(io::stderr(), "interrupted");
            signal_hook::low_level::exit(ExitCode::Interrupted.number().into());
        }
    }
}

/// SIGINT, SIGTERM, SIGQUIT and SIGHUP call `handler`, but SIGHUP not under `nohup`.
pub fn on_signal(handler: impl Fn() + Send + 'static) -> Result<(), JudgeError> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let hangup = (!ignores_hangup(&status)).then_some(SIGHUP);
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT].into_iter().chain(hangup))
        .map_err(|error| JudgeError::new("handle Ctrl-C", error))?;
    let listen = move || {
        let mut first = None;
        for signal in &mut signals {
            let asked = first.get_or_insert_with(Instant::now).elapsed();
            if asked > GRACE_PERIOD {
                // A later signal exits without a report. The slots clean up.
                signal_hook::low_level::exit(128 + signal);
            }
            handler();
        }
    };
    let started = thread::Builder::new().spawn(listen);
    started.map_err(|error| JudgeError::new("start the thread that waits for Ctrl-C", error))?;
    Ok(())
}

impl Host {
    pub fn cache(&self) -> &ResultCache {
        &self.cache
    }

    pub fn is_stopped(&self) -> bool {
        self.stop_handle.is_stopped()
    }

    pub fn toolchains(&self) -> &Toolchains {
        &self.toolchains
    }

    /// `executor` must wrap this host's executor.
    pub fn builder_on<'a>(&self, executor: &'a dyn Executor) -> Builder<'a> {
        Builder::with_toolchains(executor, Arc::clone(&self.toolchains))
    }

    /// Shares the slots among several users. The user with the lowest number goes first.
    pub fn for_user(&self, queue: &Arc<SlotQueue>, user: usize) -> Self {
        let uncached = Scheduler::new(Arc::clone(&self.uncached)).with_queue(queue, user);
        let uncached: Arc<dyn Executor> = Arc::new(uncached);
        Self {
            executor: self.cache.wrap(Arc::clone(&uncached)),
            uncached,
            isolation: self.isolation,
            generated_data: self.generated_data.clone(),
            stop_handle: StopHandle::default(),
            cache: self.cache.clone(),
            toolchains: Arc::clone(&self.toolchains),
        }
    }
}

impl Drop for Host {
    /// Takes the slots from the signal thread, so that they end before the process does.
    fn drop(&mut self) {
        self.stop_handle.set_executor(None);
    }
}

/// `None` if isolation is full.
pub fn shortfall(
    isolation: Isolation,
    refused: &[TriedIsolation],
    gaps: Vec<String>,
) -> Option<Shortfall> {
    let reason =
        |mode: &TriedIsolation| Some(format!("{}: {}", mode.isolation, mode.fault.as_ref()?));
    let (message, reasons, help) = match isolation {
        _ if isolation.is_full() => return None,
        Isolation::Plain => (
            "programs are not isolated from this machine: they can do whatever you can",
            gaps,
            "run only programs that you trust",
        ),
        _ => (
            "programs are not fully isolated from this machine",
            refused.iter().filter_map(reason).collect(),
            "`juror doctor` shows how to enable more",
        ),
    };
    let help = format!("{help}; --isolation=full refuses to run like this");
    Some(Shortfall { message: message.to_owned(), reasons, help })
}
