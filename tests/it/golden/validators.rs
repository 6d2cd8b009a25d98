//! Recorded runs on problems with output validators of their own.

use std::sync::LazyLock;

use juror_core::event::StampedEvent;
use juror_core::exit_code::ExitCode;

use super::record::record;
use crate::fixture::Fixture;
use crate::interactive;

/// Rejects with and without a message, and breaks down.
const EXPLAINING_VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r out; read -r right < "$2"
case $out in
"$right") exit 42;;
boom) printf "Traceback (most recent call last):\nValueError: invalid literal: '\x1b[2J'\n" >&2; exit 1;;
silent) echo "no moves" > "${3}judgemessage.txt";;
*)
    printf 'move 3 is L\nthe value falls from 7 to \x1b[31m5\n' > "${3}judgemessage.txt"
    echo "your move 3 loses coins" > "${3}teammessage.txt"
    echo "<svg/>" | tee "${3}judgeimage.svg" > "${3}teamimage.png"
    echo "table of 12 x 12" >&2;;
esac
exit 43
"#;

/// Three outputs: rejected with a long message, rejected with one line, and one on which the validator breaks down.
pub(super) fn judge_with_explanations() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = Fixture::new();
        interactive::set_validator(&fixture, EXPLAINING_VALIDATOR);
        for name in ["greedy", "silent", "boom"] {
            let text = format!("read -r a b; [[ $a == 1 ]] && echo 3 || echo {name}\n");
            fixture.write(&format!("{name}.sh"), text);
        }
        let line = "judge @sum @greedy.sh @silent.sh @boom.sh --keep=@kept --jobs 1";
        record(&fixture, line, ExitCode::JudgeError)
    });
    ONCE.clone()
}

/// Plays thirty turns. The submission has every other turn, and must answer `L`.
const GAME_VALIDATOR: &str = r#"#!/usr/bin/env bash
printf '30 1\n7 7 7\n'
for ((turn = 1; turn < 30; turn += 2)); do
    read -r move || move=nothing
    if [[ $move != L ]]; then
        echo "turn $turn of 30, board 1 2: ${move:0:9} gives away 1" > "${3}judgemessage.txt"
        cat > /dev/null
        exit 43
    fi
    echo L
done
exit 42
"#;

/// A bad move late in a long game, a move without a line end, and far too much output.
pub(super) fn judge_interactive() -> Vec<StampedEvent> {
    static ONCE: LazyLock<Vec<StampedEvent>> = LazyLock::new(|| {
        let fixture = interactive::fixture();
        interactive::set_validator(&fixture, GAME_VALIDATOR);
        let moves = "for turn in {1..14}; do echo L; read -r move; done; echo R";
        let flood = "printf '\\e[2J\\n'; for line in {1..30}; do printf '%03000d\\n' $line; done";
        let hurry = "printf R; read -r move";
        for (name, plays) in [("greedy", moves), ("hurry", hurry), ("flood", flood)] {
            fixture.write(&format!("{name}.sh"), format!("read -r n t; read -r row; {plays}\n"));
        }
        record(&fixture, "judge @sum @greedy.sh @hurry.sh @flood.sh --jobs 1", ExitCode::Rejected)
    });
    ONCE.clone()
}
