//! Says whether an output of coinmoves is right: the total, and a game in which every move is optimal.
//!
//!     validate INPUT ANSWER FEEDBACK_DIR < OUTPUT
//!
//! Exit code 42: right. Exit code 43: wrong, and `judgemessage.txt` says what is wrong; for a move it names the turn, the
//! board, the move and what it gives away. Any other exit code: the validator or the test data are at fault.
//!
//! Replaying the moves and comparing totals would not do: where both players go wrong the total can be right. So every
//! move is compared with the best one in its position, by the linear solution in `row.rs`: quadratic time, linear
//! memory. That file is the reason why this program is in Rust: it is the one that juror's tests hold against the table
//! of all positions, unchanged.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

#[allow(dead_code)]
mod row;

use row::End;

fn main() -> ExitCode {
    match judge() {
        Ok(Ok(())) => ExitCode::from(42),
        Ok(Err(Wrong)) => ExitCode::from(43),
        Err(fault) => {
            eprintln!("validate: {fault}");
            ExitCode::FAILURE
        }
    }
}

struct Wrong;

/// Judges the output and leaves the message; an error is a fault of the judge.
fn judge() -> Result<Result<(), Wrong>, String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [input, answer, feedback, ..] = arguments.as_slice() else {
        return Err("usage: validate INPUT ANSWER FEEDBACK_DIR < OUTPUT".to_owned());
    };
    let read = |path: &String| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let coins = coins(&read(input)?).ok_or_else(|| format!("{input}: not a row of coins"))?;
    let total = row::shares(&coins).first.to_string();
    let expected = read(answer)?;
    if expected.split_ascii_whitespace().next() != Some(&total) {
        return Err(format!("{answer}: the total is not {total}"));
    }
    let mut output = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut output)
        .map_err(|error| format!("standard input: {error}"))?;

    let Err(message) = check(&coins, &total, &output) else {
        return Ok(Ok(()));
    };
    let path = Path::new(feedback).join("judgemessage.txt");
    fs::write(&path, message + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Err(Wrong))
}

fn coins(input: &str) -> Option<Vec<i64>> {
    let mut numbers = input.split_ascii_whitespace().map(|word| word.parse().ok());
    let n: i64 = numbers.next()??;
    let coins: Vec<i64> = numbers.collect::<Option<_>>()?;
    (coins.len() as i64 == n).then_some(coins)
}

/// Says what is wrong with an output, if anything is.
fn check(coins: &[i64], total: &str, output: &[u8]) -> Result<(), String> {
    let mut words = output
        .split(|byte| matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r'))
        .filter(|word| !word.is_empty());
    let Some(said) = words.next() else {
        return Err("the output is empty: expected the total and the moves".to_owned());
    };
    if said != total.as_bytes() {
        return Err(format!("the total is {}, expected {total}", show(said)));
    }
    let Some(moves) = words.next() else {
        return Err("there are no moves after the total".to_owned());
    };
    if let Some(further) = words.next() {
        return Err(format!(
            "expected the total and one word of moves, found a third word {}",
            show(further)
        ));
    }
    if let Some(place) = moves.iter().position(|letter| end(*letter).is_none()) {
        return Err(format!(
            "letter {} of the moves is {}, expected L or R",
            place + 1,
            show(&moves[place..=place])
        ));
    }
    if moves.len() != coins.len() {
        return Err(format!(
            "the word has {} moves, expected {}, one for each coin",
            moves.len(),
            coins.len()
        ));
    }
    check_moves(coins, moves)
}

fn check_moves(coins: &[i64], moves: &[u8]) -> Result<(), String> {
    let mut board = coins;
    for (turn, &letter) in moves.iter().enumerate() {
        let Some(end) = end(letter) else { continue };
        let Some(loss) = row::loss(board, end) else {
            break;
        };
        let (taken, rest) = match end {
            End::Left => (board[0], &board[1..]),
            End::Right => (board[board.len() - 1], &board[..board.len() - 1]),
        };
        if loss > 0 {
            return Err(format!(
                "turn {} of {}, player {}: on the board {}, the move {} takes {taken} and gives away {loss}",
                turn + 1,
                moves.len(),
                turn % 2 + 1,
                show_board(board),
                char::from(letter),
            ));
        }
        board = rest;
    }
    Ok(())
}

fn end(letter: u8) -> Option<End> {
    match letter {
        b'L' => Some(End::Left),
        b'R' => Some(End::Right),
        _ => None,
    }
}

/// The coins; of many only those near the ends.
fn show_board(board: &[i64]) -> String {
    const SHOWN: usize = 5;
    let words = |coins: &[i64]| {
        let words: Vec<String> = coins.iter().map(i64::to_string).collect();
        words.join(" ")
    };
    if board.len() <= 2 * SHOWN + 1 {
        return format!("`{}`", words(board));
    }
    let last = board.len() - SHOWN;
    format!(
        "`{} ... {}` ({} coins)",
        words(&board[..SHOWN]),
        words(&board[last..]),
        board.len()
    )
}

/// The text between quotes; bytes that would not print are shown as `\x..`, a long text is cut.
fn show(text: &[u8]) -> String {
    const LONGEST: usize = 20;
    let mut shown = String::from("\"");
    for &byte in text.iter().take(LONGEST) {
        match byte {
            b'"' | b'\\' => shown.extend(['\\', char::from(byte)]),
            b' '..=b'~' => shown.push(char::from(byte)),
            _ => shown += &format!("\\x{byte:02x}"),
        }
    }
    shown += if text.len() > LONGEST { "...\"" } else { "\"" };
    shown
}
