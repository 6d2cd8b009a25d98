//! Plays Alice, and judges Bob.
//!
//!     validate INPUT ANSWER FEEDBACK
//!
//! Sends the grid, then the rows in the order that the input names, each after Bob's answer to the one before. Exit code 42:
//! Bob reached the lowest total. 43: he did not, or broke the rules; `judgemessage.txt` in the directory FEEDBACK says
//! where. 1: the judge's own files are wrong.
//!
//! ANSWER holds the columns of one best game in the order of its rounds. It is held against the least assignment that is
//! computed here, so neither can be wrong alone.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::path::Path;
use std::process::ExitCode;

/// No word of Bob's that could be right is longer; the rest is not kept.
const LONGEST: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, answer, feedback, ..] = arguments.as_slice() else {
        eprintln!("usage: validate INPUT ANSWER FEEDBACK");
        return ExitCode::FAILURE;
    };
    let message = match judge(input, answer) {
        Ok(Ok(())) => return ExitCode::from(42),
        Ok(Err(Wrong(message))) => message,
        Err(fault) => {
            eprintln!("{fault}");
            return ExitCode::FAILURE;
        }
    };
    match fs::write(Path::new(feedback).join("judgemessage.txt"), message + "\n") {
        Ok(()) => ExitCode::from(43),
        Err(error) => {
            eprintln!("cannot write judgemessage.txt: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why Bob is wrong.
struct Wrong(String);

/// Reads the judge's files and plays the game. The outer error is a fault of the judge.
fn judge(input: &str, answer: &str) -> Result<Result<(), Wrong>, String> {
    let game = Game::read(&numbers(input)?).ok_or_else(|| format!("{input} is no valid input"))?;
    let best = game.least(&[]);
    let columns = numbers(answer)?;
    let columns: Result<Vec<usize>, _> = columns.into_iter().map(usize::try_from).collect();
    let claimed = match columns {
        Ok(columns) => game.total(&columns),
        Err(_) => None,
    };
    if claimed != Some(best) {
        return Err(format!(
            "{answer} is no best game: the lowest total is {best}"
        ));
    }
    Ok(play(&game, best))
}

fn numbers(path: &str) -> Result<Vec<i64>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let number = |word: &str| {
        word.parse()
            .map_err(|_| format!("{path} has {word:?} where a number is expected"))
    };
    text.split_whitespace().map(number).collect()
}

fn play(game: &Game, best: i64) -> Result<(), Wrong> {
    let mut bob = Bob::default();
    let n = game.grid.len();
    let mut greeting = format!("{n}\n");
    for row in &game.grid {
        let words: Vec<String> = row.iter().map(i64::to_string).collect();
        let _ = writeln!(greeting, "{}", words.join(" "));
    }
    let mut columns = Vec::new();
    // The first move after which the lowest total was out of reach.
    let mut blunder = None;
    for (round, row) in game.rows.iter().enumerate() {
        // A program that has left may have answered all the same, ahead.
        tell(&format!("{greeting}{}\n", row + 1));
        greeting.clear();
        let place = format!("round {} of {n}, row {}", round + 1, row + 1);
        let Some(word) = bob.word() else {
            return Err(Wrong(format!(
                "{place}: no column came, the output ended early"
            )));
        };
        let column = match word.parse::<usize>() {
            Ok(column) if (1..=n).contains(&column) && plain(&word) => column,
            _ => {
                return Err(Wrong(format!(
                    "{place}: {word:?} is no column, which is a number from 1 to {n}"
                )));
            }
        };
        if let Some(earlier) = columns.iter().position(|&used| used == column) {
            return Err(Wrong(format!(
                "{place}: column {column} was crossed out in round {}",
                earlier + 1
            )));
        }
        columns.push(column);
        let reachable = game.least(&columns);
        if reachable > best && blunder.is_none() {
            let board = game.board(&columns[..round]);
            let loss = reachable - best;
            blunder = Some(format!(
                "{place}: column {column} gives away {loss}: the lowest total was {best} before, and is {reachable} after\n\
                 the grid before:\n{board}"
            ));
        }
    }
    close_output();
    if let Some(word) = bob.word() {
        return Err(Wrong(format!(
            "after the last round: {word:?} was still written"
        )));
    }
    match blunder {
        None => Ok(()),
        Some(blunder) => {
            let total = game.least(&columns);
            Err(Wrong(format!(
                "the total is {total}, the lowest is {best}\n{blunder}"
            )))
        }
    }
}

/// Sends text to Bob. One who has left does not read it, which is no fault.
fn tell(text: &str) {
    let mut output = io::stdout().lock();
    let _ = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
}

/// Tells Bob that nothing more comes.
fn close_output() {
    // SAFETY: descriptor 1 is standard output, and nothing is written to it from here on.
    drop(unsafe { File::from_raw_fd(1) });
}

/// Digits only, as a number is written that nobody could take for another.
fn plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) && !word.starts_with('0')
}

/// What Bob writes, word by word, read when it is his turn.
#[derive(Default)]
struct Bob {
    bytes: Vec<u8>,
    at: usize,
}

impl Bob {
    /// The next word; nothing when there is none before the end of the output. Of a long one the beginning.
    fn word(&mut self) -> Option<String> {
        let mut word = Vec::new();
        while let Some(byte) = self.byte() {
            match byte.is_ascii_whitespace() {
                true if word.is_empty() => {}
                true => break,
                false if word.len() < LONGEST => word.push(byte),
                // One that never ends need not be waited for.
                false => break,
            }
        }
        (!word.is_empty()).then(|| String::from_utf8_lossy(&word).into_owned())
    }

    fn byte(&mut self) -> Option<u8> {
        if self.at == self.bytes.len() {
            self.bytes.resize(4096, 0);
            let length = io::stdin().lock().read(&mut self.bytes).unwrap_or(0);
            self.bytes.truncate(length);
            self.at = 0;
        }
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }
}

struct Game {
    grid: Vec<Vec<i64>>,
    /// The rows in Alice's order, counted from 0.
    rows: Vec<usize>,
}

impl Game {
    fn read(numbers: &[i64]) -> Option<Game> {
        let (&n, rest) = numbers.split_first()?;
        let n = usize::try_from(n).ok().filter(|n| (1..=8).contains(n))?;
        if rest.len() != n * n + n {
            return None;
        }
        let (cells, rows) = rest.split_at(n * n);
        let rows: Vec<usize> = rows
            .iter()
            .map(|&row| usize::try_from(row - 1).ok().filter(|&row| row < n))
            .collect::<Option<_>>()?;
        let grid = cells.chunks(n).map(<[i64]>::to_vec).collect();
        Some(Game { grid, rows })
    }

    /// The total of a whole game, if these are all its columns, counted from 1.
    fn total(&self, columns: &[usize]) -> Option<i64> {
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        let all: Vec<usize> = (1..=self.grid.len()).collect();
        (sorted == all).then(|| self.least(columns))
    }

    /// The lowest total that can be reached when Bob's columns begin with these, counted from 1: for every set of
    /// columns the least total of the rounds that they may have been crossed out in.
    fn least(&self, columns: &[usize]) -> i64 {
        let n = self.grid.len();
        let mut best = vec![i64::MAX; 1 << n];
        best[0] = 0;
        for mask in 0..1usize << n {
            let round = mask.count_ones() as usize;
            if round == n || best[mask] == i64::MAX {
                continue;
            }
            let row = &self.grid[self.rows[round]];
            let free = (0..n).filter(|column| mask & 1 << column == 0);
            let taken = columns.get(round).map(|column| column - 1);
            for column in free.filter(|&column| taken.is_none_or(|taken| taken == column)) {
                let total = best[mask] + row[column];
                let after = &mut best[mask | 1 << column];
                *after = total.min(*after);
            }
        }
        best[(1 << n) - 1]
    }

    /// What is left of the grid after these columns and as many rows.
    fn board(&self, columns: &[usize]) -> String {
        let n = self.grid.len();
        let free: Vec<usize> = (1..=n).filter(|column| !columns.contains(column)).collect();
        let words = |values: Vec<String>| -> String {
            values.iter().map(|value| format!("{value:>6}")).collect()
        };
        let head = words(free.iter().map(|column| format!("[{column}]")).collect());
        let mut board = format!("row  {head}");
        let gone = &self.rows[..columns.len()];
        for row in (0..n).filter(|row| !gone.contains(row)) {
            let values = free
                .iter()
                .map(|column| self.grid[row][column - 1].to_string());
            let values = words(values.collect());
            let _ = write!(board, "\n[{}]  {values}", row + 1);
        }
        board
    }
}
