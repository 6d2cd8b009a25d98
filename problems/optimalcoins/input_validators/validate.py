"""Checks one input of optimalcoins on standard input, byte for byte.

The first argument, if there is one, is the largest N that the test case's group allows.

Exit code 42: valid. Exit code 43: invalid, and standard error names line, column and text.
The twin of `validate.rs`, for tools that do not build Rust.
"""

import sys

LONGEST = 20


class Invalid(Exception):
    pass


class Input:
    def __init__(self, data):
        self.data = data
        self.at = 0  # how many bytes are read

    def number(self, name, low, high):
        """Reads a number: digits only, no leading zero, from `low` to `high`."""
        word = self.word()
        if not word:
            self.fail(f"expected {name}, found {self.here()}")
        if not word.isdigit():
            self.fail(f"{name} is {show(word)}, which is not a number in plain digits")
        if len(word) > 1 and word.startswith(b"0"):
            self.fail(f"{name} is {show(word)}, which has a leading zero")
        # Python refuses to convert thousands of digits; without a leading zero they are too many anyway.
        if len(word) > len(str(high)) or not low <= int(word) <= high:
            self.fail(f"{name} is {show(word)}, which is not from {low} to {high}")
        self.at += len(word)
        return int(word)

    def blank(self, place):
        if self.next() != b" ":
            self.fail(f"expected a blank {place}, found {self.here()}")
        self.at += 1

    def end_of_line(self, place):
        if self.next() != b"\n":
            self.fail(f"expected a line end {place}, found {self.here()}")
        self.at += 1

    def end_of_file(self):
        if self.next():
            self.fail(f"expected the end of the file, found {self.here()}")

    def next(self):
        return self.data[self.at : self.at + 1]

    def word(self):
        """The bytes up to the next blank, line end or end of the file."""
        end = self.at
        while end < len(self.data) and self.data[end] not in b" \n":
            end += 1
        return self.data[self.at : end]

    def here(self):
        names = {b"": "the end of the file", b" ": "a blank", b"\n": "a line end"}
        return names.get(self.next()) or show(self.word())

    def fail(self, message):
        """Stops with the message and its place; lines and columns count from 1, columns in bytes."""
        before = self.data[: self.at]
        line = 1 + before.count(b"\n")
        column = len(before) - before.rfind(b"\n")
        raise Invalid(f"line {line}, column {column}: {message}")


def show(text):
    r"""The text between quotes; bytes that would not print are shown as `\x..`, a long text is cut."""
    shown = '"'
    for byte in text[:LONGEST]:
        if byte in b'"\\':
            shown += "\\" + chr(byte)
        elif 0x20 <= byte <= 0x7E:
            shown += chr(byte)
        else:
            shown += f"\\x{byte:02x}"
    return shown + ('..."' if len(text) > LONGEST else '"')


def check(data, longest):
    source = Input(data)
    rows = source.number("T", 1, 10)
    source.end_of_line("after T")
    for row in range(1, rows + 1):
        name = f"N of row {row}"
        before = source.at
        n = source.number(name, 2, longest)
        if n % 2 == 1:
            source.at = before
            source.fail(f"{name} is {n}, which is not even")
        source.end_of_line(f"after {name}")
        for index in range(1, n + 1):
            value = f"value {index} of {n} in row {row}"
            source.number(value, 0, 100_000)
            if index < n:
                source.blank(f"after {value}")
        source.end_of_line(f"after the last value of row {row}")
    source.end_of_file()


def main():
    try:
        check(sys.stdin.buffer.read(), int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    except Invalid as fault:
        print(fault, file=sys.stderr)
        return 43
    return 42


if __name__ == "__main__":
    sys.exit(main())
