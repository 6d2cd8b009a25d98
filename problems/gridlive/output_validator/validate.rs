//! Plays Alice in gridlive, and says whether Bob's total is the smallest.
//!
//!     validate INPUT ANSWER FEEDBACK_DIR/
//!
//! The input is, byte for byte, what Bob is sent before the first round, and a last line with the rows in the order in
//! which Alice crosses them out. The answer is the smallest total. Exit code 42: reached. Exit code 43: not, or Bob
//! did not keep to the rules; `judgemessage.txt` says why. Anything else: a fault here.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, answer, feedback, ..] = arguments.as_slice() else {
        eprintln!("usage: validate INPUT ANSWER FEEDBACK_DIR/");
        return ExitCode::FAILURE;
    };
    let game = read(input).and_then(|text| Game::parse(&text));
    let answer = read(answer).and_then(|text| {
        let total = text.trim().parse::<i64>();
        total.map_err(|error| format!("the answer: {error}"))
    });
    let (game, answer) = match (game, answer) {
        (Ok(game), Ok(answer)) => (game, answer),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    if game.smallest() != answer {
        eprintln!(
            "the answer says {answer}, but the smallest total is {}",
            game.smallest()
        );
        return ExitCode::FAILURE;
    }
    match play(&game, answer) {
        Ok(()) => ExitCode::from(42),
        Err(Fault::Contestant(message)) => {
            let told = fs::write(feedback.join("judgemessage.txt"), format!("{message}\n"));
            match told {
                Ok(()) => ExitCode::from(43),
                Err(error) => {
                    eprintln!("cannot write the judge message: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        Err(Fault::Own(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &PathBuf) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Who is to blame.
enum Fault {
    Contestant(String),
    Own(io::Error),
}

/// Plays a whole game.
fn play(game: &Game, smallest: i64) -> Result<(), Fault> {
    let n = game.grid.len();
    let mut output = Output { is_heard: true };
    let mut words = Words::default();
    let mut used = vec![false; n];
    let mut total = 0;
    output.say(&game.sent)?;
    for (round, &row) in game.order.iter().enumerate() {
        output.say(&format!("{row}\n"))?;
        let place = format!("round {} of {n}, row {row}", round + 1);
        let wrong = |what: String| Err(Fault::Contestant(format!("{place}: {what}")));
        let Some(word) = words.next().map_err(Fault::Own)? else {
            return wrong("there is no column, the output ends".to_owned());
        };
        let column = match number(&word) {
            Some(column) if (1..=n).contains(&column) => column,
            _ => return wrong(format!("{} is no column from 1 to {n}", show(&word))),
        };
        if std::mem::replace(&mut used[column - 1], true) {
            return wrong(format!("column {column} is crossed out already"));
        }
        total += game.grid[row - 1][column - 1];
    }
    output.close();
    if let Some(word) = words.next().map_err(Fault::Own)? {
        let message = format!("after the game: {} is more than was asked for", show(&word));
        return Err(Fault::Contestant(message));
    }
    match total == smallest {
        true => Ok(()),
        false => Err(Fault::Contestant(format!(
            "the total is {total}, {} more than {smallest}",
            total - smallest
        ))),
    }
}

/// A column in plain digits.
fn number(word: &[u8]) -> Option<usize> {
    match word {
        [digit @ b'1'..=b'9'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}

/// One game to be played.
struct Game {
    /// What the contestant is sent before the first round.
    sent: String,
    grid: Vec<Vec<i64>>,
    /// From 1.
    order: Vec<usize>,
}

impl Game {
    fn parse(text: &str) -> Result<Self, String> {
        let is_wrong = |what: &str| format!("the input: {what}");
        let lines: Vec<&str> = text.lines().collect();
        let [first, rows @ .., order] = lines.as_slice() else {
            return Err(is_wrong("fewer than two lines"));
        };
        let n: usize = first.trim().parse().map_err(|_| is_wrong("no n"))?;
        let grid: Result<Vec<Vec<i64>>, _> = rows
            .iter()
            .map(|line| line.split(' ').map(str::parse::<i64>).collect())
            .collect();
        let grid = grid.map_err(|error| is_wrong(&error.to_string()))?;
        let order: Result<Vec<usize>, _> = order.split(' ').map(str::parse::<usize>).collect();
        let order = order.map_err(|error| is_wrong(&error.to_string()))?;
        let is_square = grid.len() == n && grid.iter().all(|row| row.len() == n);
        let is_order = order.len() == n && order.iter().all(|row| (1..=n).contains(row));
        if !is_square || !is_order {
            return Err(is_wrong("the grid or the order is not of size n"));
        }
        let sent: String = lines[..=n].iter().map(|line| format!("{line}\n")).collect();
        Ok(Self { sent, grid, order })
    }

    /// The smallest total: one number of each row and each column, row by row over all sets of columns.
    fn smallest(&self) -> i64 {
        let n = self.grid.len();
        let mut best = vec![i64::MAX; 1 << n];
        best[0] = 0;
        for set in 0..best.len() - 1 {
            let row = &self.grid[set.count_ones() as usize];
            for (column, value) in row.iter().enumerate() {
                let with = set | 1 << column;
                if with != set && best[set] < i64::MAX {
                    best[with] = best[with].min(best[set] + value);
                }
            }
        }
        best[(1 << n) - 1]
    }
}

/// What is said to the contestant, who may have left: that is no fault.
struct Output {
    is_heard: bool,
}

impl Output {
    fn say(&mut self, text: &str) -> Result<(), Fault> {
        if !self.is_heard {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
        {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_heard = false;
                Ok(())
            }
            Err(error) => Err(Fault::Own(error)),
        }
    }

    /// Nothing more will be said, so who waits for more sees the end.
    fn close(self) {
        // SAFETY: nothing is written to standard output any more, and its buffer is empty.
        drop(unsafe { OwnedFd::from_raw_fd(1) });
    }
}

/// The words that the contestant prints.
#[derive(Default)]
struct Words {
    buffer: Vec<u8>,
    at: usize,
}

impl Words {
    /// The next word, cut where it is longer than any column; `None` at the end.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        const LONGEST: usize = 40;
        let mut word = Vec::new();
        loop {
            if self.at == self.buffer.len() {
                self.buffer.resize(4096, 0);
                let length = io::stdin().lock().read(&mut self.buffer)?;
                self.buffer.truncate(length);
                self.at = 0;
                if length == 0 {
                    return Ok((!word.is_empty()).then_some(word));
                }
            }
            let byte = self.buffer[self.at];
            self.at += 1;
            let is_blank = byte.is_ascii_whitespace() || byte == 0x0b;
            match (is_blank, word.is_empty()) {
                (true, true) => {}
                (true, false) => return Ok(Some(word)),
                (false, _) => word.push(byte),
            }
            if word.len() == LONGEST {
                return Ok(Some(word));
            }
        }
    }
}

fn show(word: &[u8]) -> String {
    format!("`{}`", word.escape_ascii())
}
