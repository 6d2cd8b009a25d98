//! What the server has done, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use parking_lot::Mutex;

#[derive(Default)]
pub struct Metrics(Mutex<Counters>);

#[derive(Default)]
struct Counters {
    /// By kind of request and status.
    answers: BTreeMap<(&'static str, u16), u64>,
    /// By kind of request.
    tasks: BTreeMap<&'static str, TaskTimes>,
    repeated: u64,
}

#[derive(Default)]
struct TaskTimes {
    number: u64,
    waited: Duration,
    ran: Duration,
}

impl Metrics {
    pub fn count_answer(&self, kind: &'static str, status: u16) {
        *self.0.lock().answers.entry((kind, status)).or_default() += 1;
    }

    pub fn count_task(&self, kind: &'static str, waited: Duration, ran: Duration, repeats: u64) {
        let mut counters = self.0.lock();
        counters.repeated += repeats;
        let times = counters.tasks.entry(kind).or_default();
        times.number += 1;
        times.waited += waited;
        times.ran += ran;
    }

    pub fn text(&self, (waiting, running): (usize, usize), connections: usize) -> String {
        let counters = self.0.lock();
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, values: Vec<(String, String)>| {
            // Writing to a text does not fail.
            _ = writeln!(text, "# HELP juror_{name} {help}\n# TYPE juror_{name} {kind}");
            for (labels, value) in values {
                _ = writeln!(text, "juror_{name}{labels} {value}");
            }
        };
        let one = |value: String| vec![(String::new(), value)];
        let answers = counters.answers.iter().map(|((kind, status), number)| {
            (format!("{{kind=\"{kind}\",status=\"{status}\"}}"), number.to_string())
        });
        family("answers_total", "counter", "Answers, by status.", answers.collect());
        let of_tasks = |value: &dyn Fn(&TaskTimes) -> String| {
            let values = counters.tasks.iter();
            values.map(|(kind, it)| (format!("{{kind=\"{kind}\"}}"), value(it))).collect()
        };
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        let number = of_tasks(&|times| times.number.to_string());
        family("runs_total", "counter", "Lines and programs that ran.", number);
        let waited = of_tasks(&|times| seconds(times.waited));
        family("waiting_seconds_total", "counter", "Time in the queue.", waited);
        let ran = of_tasks(&|times| seconds(times.ran));
        family("running_seconds_total", "counter", "Time from the queue to the result.", ran);
        let help = "Runs that were repeated after a fault of the judge.";
        family("repeated_total", "counter", help, one(counters.repeated.to_string()));
        family("queue", "gauge", "Requests that wait.", one(waiting.to_string()));
        family("running", "gauge", "Requests that run.", one(running.to_string()));
        family("connections", "gauge", "Open connections.", one(connections.to_string()));
        text
    }
}
