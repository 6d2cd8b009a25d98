//! Plays the other side of game1live, and says whether each of the contestant's moves kept what could be had.
//!
//!     validate INPUT ANSWER FEEDBACK_DIR/
//!
//! The input is, byte for byte, what the contestant is sent, and a last line that names the opponent:
//! `optimal-left`, `optimal-right`, `greedy-left`, `greedy-right` (the word behind the dash is the end it takes of two
//! equally good ones), `random SEED`, or `careless SEED`, which takes the worse end one time in three. The
//! answer is the score that the contestant's side can be sure of.
//!
//! A move is right if it keeps the value of the position for whoever makes it, whatever the opponent did
//! before. Exit code 42: all were. Exit code 43: one was not, or the contestant did not keep to the rules;
//! `judgemessage.txt` says which turn, board and move, and what it gave away. Anything else: a fault here.

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
    let case = read(input).and_then(|text| Case::parse(&text));
    let answer = read(answer).and_then(|text| {
        let score = text.trim().parse::<i32>();
        score.map_err(|error| format!("the answer: {error}"))
    });
    let (case, answer) = match (case, answer) {
        (Ok(case), Ok(answer)) => (case, answer),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let game = Game::new(&case);
    if game.best_score(case.side) != answer {
        eprintln!(
            "the answer says {answer}, but the best score is {}",
            game.best_score(case.side)
        );
        return ExitCode::FAILURE;
    }
    match play(case, game) {
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
fn play(case: Case, mut game: Game) -> Result<(), Fault> {
    let mut output = Output { is_heard: true };
    let mut moves = Moves::default();
    let mut opponent = case.opponent;
    output.say(case.sent.as_bytes())?;
    for turn in 1..=game.row.len() {
        let player = if turn % 2 == 1 { 1 } else { 2 };
        let end = if player == case.side {
            let word = moves.next().map_err(Fault::Own)?;
            game.judge(turn, word.as_deref())
                .map_err(Fault::Contestant)?
        } else {
            let end = opponent.choose(&game);
            output.say(end.line())?;
            end
        };
        game.take(end);
    }
    output.close();
    match moves.next().map_err(Fault::Own)? {
        None => Ok(()),
        Some(word) => Err(Fault::Contestant(format!(
            "after the game: {} is more than was asked for",
            show(&word)
        ))),
    }
}

/// One game to be played.
struct Case {
    /// What the contestant is sent.
    sent: String,
    row: Vec<i32>,
    side: u32,
    opponent: Opponent,
}

impl Case {
    fn parse(text: &str) -> Result<Self, String> {
        let is_wrong = |what: &str| format!("the input: {what}");
        let end = text.trim_end().rfind('\n').map(|at| at + 1);
        let (sent, opponent) = text.split_at(end.ok_or_else(|| is_wrong("one line only"))?);
        let mut numbers = sent.split_whitespace().map(str::parse::<i32>);
        let mut number = || numbers.next().and_then(Result::ok);
        let n = number().ok_or_else(|| is_wrong("no N"))?;
        let side = number().ok_or_else(|| is_wrong("no side"))?;
        let row: Option<Vec<i32>> = (0..n).map(|_| number()).collect();
        Ok(Self {
            sent: sent.to_owned(),
            row: row.ok_or_else(|| is_wrong("too few numbers"))?,
            side: side.unsigned_abs(),
            opponent: Opponent::parse(opponent)
                .ok_or_else(|| is_wrong(&format!("unknown opponent `{}`", opponent.trim_end())))?,
        })
    }
}

/// An end of the row.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Left,
    Right,
}

impl End {
    fn line(self) -> &'static [u8] {
        match self {
            Self::Left => b"L\n",
            Self::Right => b"R\n",
        }
    }

    fn name(self) -> char {
        match self {
            Self::Left => 'L',
            Self::Right => 'R',
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A row of which the numbers from `left` up to, but without, `right` still lie there.
struct Game {
    row: Vec<i32>,
    /// By how much whoever is to move can end ahead, from this number on and so many of them.
    lead: Vec<Vec<i32>>,
    left: usize,
    right: usize,
}

impl Game {
    fn new(case: &Case) -> Self {
        let row = case.row.clone();
        let n = row.len();
        // lead[left][right], with nothing left where both are equal.
        let mut lead = vec![vec![0; n + 1]; n + 1];
        for length in 1..=n {
            for left in 0..=n - length {
                let right = left + length;
                let by_left = row[left] - lead[left + 1][right];
                let by_right = row[right - 1] - lead[left][right - 1];
                lead[left][right] = by_left.max(by_right);
            }
        }
        Self {
            right: n,
            left: 0,
            row,
            lead,
        }
    }

    /// The score that a player can be sure of at the start.
    fn best_score(&self, side: u32) -> i32 {
        let total: i32 = self.row.iter().sum();
        let lead = self.lead[0][self.row.len()];
        match side {
            1 => (total + lead) / 2,
            _ => (total - lead) / 2,
        }
    }

    /// By how much whoever is to move ends ahead if they take this end and all is played well from then on.
    fn lead_by(&self, end: End) -> i32 {
        match end {
            End::Left => self.row[self.left] - self.lead[self.left + 1][self.right],
            End::Right => self.row[self.right - 1] - self.lead[self.left][self.right - 1],
        }
    }

    fn take(&mut self, end: End) {
        match end {
            End::Left => self.left += 1,
            End::Right => self.right -= 1,
        }
    }

    fn ends(&self) -> (i32, i32) {
        (self.row[self.left], self.row[self.right - 1])
    }

    /// What the contestant's word means, if it is a move that keeps all that can be had.
    fn judge(&self, turn: usize, word: Option<&[u8]>) -> Result<End, String> {
        let n = self.row.len();
        let board = self.board();
        let end = match word {
            Some(b"L") => End::Left,
            Some(b"R") => End::Right,
            Some(word) => {
                let shown = show(word);
                return Err(format!(
                    "turn {turn} of {n}, board {board}: {shown} is no move; L or R is"
                ));
            }
            None => {
                return Err(format!(
                    "turn {turn} of {n}, board {board}: there is no move, the output ends"
                ));
            }
        };
        let (lead, best) = (self.lead_by(end), self.lead_by(end.other()));
        // Two leads differ by twice what goes from one score to the other.
        match (best - lead) / 2 {
            loss if loss > 0 => Err(format!(
                "turn {turn} of {n}, board {board}: {} gives away {loss} that {} would keep",
                end.name(),
                end.other().name()
            )),
            _ => Ok(end),
        }
    }

    /// The numbers that are left; of many, some at both ends.
    fn board(&self) -> String {
        const SHOWN: usize = 8;
        let words: Vec<String> = self.row[self.left..self.right]
            .iter()
            .map(i32::to_string)
            .collect();
        match words.len() {
            length if length > 2 * SHOWN => format!(
                "{} ... {} ({length} numbers)",
                words[..SHOWN].join(" "),
                words[length - SHOWN..].join(" ")
            ),
            _ => words.join(" "),
        }
    }
}

/// How the judge plays.
struct Opponent {
    style: Style,
    /// The end taken of two that are equally good.
    tie: End,
    chance: Chance,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Optimal,
    Greedy,
    Random,
    Careless,
}

impl Opponent {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let (style, tie) = match name {
            "optimal-left" => (Style::Optimal, End::Left),
            "optimal-right" => (Style::Optimal, End::Right),
            "greedy-left" => (Style::Greedy, End::Left),
            "greedy-right" => (Style::Greedy, End::Right),
            "random" => (Style::Random, End::Left),
            "careless" => (Style::Careless, End::Left),
            _ => return None,
        };
        let seed = match style {
            Style::Random | Style::Careless => words.next()?.parse().ok()?,
            Style::Optimal | Style::Greedy => 0,
        };
        let chance = Chance(seed);
        words
            .next()
            .is_none()
            .then_some(Self { style, tie, chance })
    }

    fn choose(&mut self, game: &Game) -> End {
        let (left, right) = match self.style {
            Style::Greedy => game.ends(),
            _ => (game.lead_by(End::Left), game.lead_by(End::Right)),
        };
        let better = match left.cmp(&right) {
            std::cmp::Ordering::Greater => End::Left,
            std::cmp::Ordering::Less => End::Right,
            std::cmp::Ordering::Equal => self.tie,
        };
        match self.style {
            Style::Optimal | Style::Greedy => better,
            Style::Random if self.chance.is_one_in(2) => End::Left,
            Style::Random => End::Right,
            Style::Careless if self.chance.is_one_in(3) => better.other(),
            Style::Careless => better,
        }
    }
}

/// A splitmix64 stream: small, and the same on every machine.
struct Chance(u64);

impl Chance {
    fn is_one_in(&mut self, number: u64) -> bool {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        // As good as even for such small numbers.
        (word >> 32).is_multiple_of(number)
    }
}

/// What is said to the contestant, who may have left: that is no fault.
struct Output {
    is_heard: bool,
}

impl Output {
    fn say(&mut self, text: &[u8]) -> Result<(), Fault> {
        if !self.is_heard {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text).and_then(|()| stdout.flush()) {
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
struct Moves {
    buffer: Vec<u8>,
    at: usize,
}

impl Moves {
    /// The next word, cut where it is longer than any move; `None` at the end.
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
