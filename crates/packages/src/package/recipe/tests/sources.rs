//! Where the input of a case comes from: files to copy, and commands.

use crate::package::recipe::tests::check;

#[test]
fn copied_files_are_anywhere_in_the_package() {
    check(
        "data:\n  secret:\n    data:\n      a: {copy: ../data/sample/1}\n      b: {copy: deep/.././manual/a}\n      \
         c: {copy: ../data/sample/1.in}\n      d: {copy: ../../x}\n      e: {copy: ..}\n",
        &[
            "secret/a: copy data/sample/1 own",
            "secret/b: copy generators/manual/a own",
            "6:17: `copy` names a file: `../data/sample/1.in` (leave out the ending: copy: ../data/sample/1)",
            "7:17: `copy` leads out of the package: `../../x` (give a file in the package)",
            "8:17: `copy` leads out of the package: `..` (give a file in the package)",
        ],
    );
}

#[test]
fn commands_that_cannot_start_are_errors() {
    let long = "x".repeat(128 << 10);
    check(
        &format!(
            "data:\n  secret:\n    data:\n      a: \"gen.py x\\0y\"\n      b: gen.py {long}\n      c: gen.py {}\n      \
             d: manual/a.in\n      e: manual/a\n",
            &long[1..100]
        ),
        &[
            &format!("secret/c: generators/gen.py {} own", &long[1..100]),
            "4:10: a word of the command has a zero byte (arguments end at a zero byte; remove it)",
            "5:10: a word of the command has 128 KiB, and systems take less than 128 KiB (write a generator that has this \
             text in it)",
            "7:10: `manual/a.in` is an input, not a generator (write `copy: manual/a`)",
            "8:10: `manual/a` is an input, not a generator (write `copy: manual/a`)",
        ],
    );
}
