//! A row of numbers; two players in turn take the one at either end: who leads by how much, in linear time.
//!
//! # Why folding is right
//!
//! Let x ≤ y ≥ z stand side by side, a *peak*. Nobody wants to take x, as that lays y open: the other takes y at once,
//! which lays z open for the first again; from the right it is the same with z and x exchanged. The three moves yield
//! x − y + z and leave the turn as one move would, so a row is worth as much with x − y + z in their place. When no
//! peak is left the row falls and then rises, a *valley*: its larger end is the largest number there is, nothing better
//! hides behind the smaller one, and taking the largest number each time is best for both.
//!
//! A fold may make a new peak with what stands to its left, never one that a stack of what has been read would miss:
//! each number is pushed once, and each fold removes two, so the time is linear.
//!
//! Values and sums must fit in `i64`; negative values are allowed. The file needs nothing but the standard library.

/// The end of a row that a move takes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The first number.
    Left,
    /// The last number.
    Right,
}

/// What each player has in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Of the player who moves first.
    pub first: i64,
    /// Of the other one.
    pub second: i64,
}

/// By how much the player to move leads in the end, when both play as well as possible.
///
/// Negative when the other leads; 0 for an empty row.
pub fn lead(row: &[i64]) -> i64 {
    let valley = fold(row);
    let mut rest = valley.as_slice();
    let (mut lead, mut sign) = (0, 1);
    while let (Some(first), Some(last)) = (rest.first(), rest.last()) {
        if first >= last {
            lead += sign * first;
            rest = &rest[1..];
        } else {
            lead += sign * last;
            rest = &rest[..rest.len() - 1];
        }
        sign = -sign;
    }
    lead
}

/// What both players have in the end, when both play as well as possible.
pub fn shares(row: &[i64]) -> Shares {
    let total: i64 = row.iter().sum();
    let first = (total + lead(row)) / 2;
    Shares { first, second: total - first }
}

/// How much of their final score the player to move gives away by taking from this end; 0 for a move that is optimal.
///
/// The other's score rises by as much. `None` when the row is empty.
pub fn loss(row: &[i64], end: End) -> Option<i64> {
    let (taken, rest) = match end {
        End::Left => row.split_first()?,
        End::Right => row.split_last()?,
    };
    // Leads differ by twice what is given away: one player has less and the other more.
    Some((lead(row) - (taken - lead(rest))) / 2)
}

/// The row without peaks: it falls and then rises, and is worth as much.
fn fold(row: &[i64]) -> Vec<i64> {
    let mut valley: Vec<i64> = Vec::new();
    for &value in row {
        valley.push(value);
        while let &[.., x, y, z] = valley.as_slice() {
            if x > y || y < z {
                break;
            }
            valley.truncate(valley.len() - 3);
            valley.push(x - y + z);
        }
    }
    valley
}
