#!/usr/bin/env python3
"""Asks the original checkers of testlib and DMOJ for verdicts, and writes them beside this script.

Usage: tests/checkers/record.py [TESTLIB DMOJ]

TESTLIB and DMOJ are clones of github.com/MikeMirzayanov/testlib and github.com/DMOJ/judge-server. Without them, the
script clones both into a temporary directory. It needs git, g++, cc and the headers of Python.

Each line of NAME.tsv is a verdict, an answer and an output: A accepted, W rejected, R the answer is refused. In half
of the pairs, the output is the answer with one change. The same script writes the same pairs.
"""

import importlib
import random
import subprocess
import sys
import sysconfig
import tempfile
import types
import warnings
from pathlib import Path

PAIRS = 300
HERE = Path(__file__).parent
TESTLIB = {
    "wcmp": "words", "lcmp": "lines", "fcmp": "lines", "hcmp": "huge", "icmp": "integer", "ncmp": "integers",
    "uncmp": "integers", "acmp": "number", "yesno": "answer", "nyesno": "answers", "rcmp": "number",
    "rcmp4": "numbers", "rcmp6": "numbers", "rcmp9": "numbers", "rncmp": "numbers", "dcmp": "number",
    "caseicmp": "integer cases", "casencmp": "integers cases", "casewcmp": "words cases",
}
DMOJ = {
    "standard": "lines", "identical": "lines", "sorted": "lines", "unordered": "words", "linecount": "lines",
    "easy": "words", "floats": "numbers", "floatsabs": "numbers", "floatsrel": "numbers", "rstripped": "lines",
    "floats,precision=2": "numbers", "floatsabs,precision=3": "numbers", "floatsrel,precision=0": "numbers",
    "floats,error_mode=absolute": "numbers", "floats,error_mode=relative,precision=4": "numbers",
    "sorted,split_on=whitespace": "lines", "rstripped,filter_new_line=true": "lines",
}
WORDS = ["a", "b", "ab", "Yes", "NO", "Case", "x1", "é", "0", "7", "-3", "1.5", "zz"]


class Pairs:
    """Makes pairs of texts for a checker that reads texts of this kind."""

    def __init__(self, name, kind):
        self.random = random.Random(name)
        self.kind = kind

    def all(self):
        return [self.pair(index) for index in range(PAIRS)]

    def pair(self, index):
        answer = self.text()
        if index % 2 == 0:
            changes = CHANGES_ONE + CHANGES_ONE_NUMBER * ("number" in self.kind)
            return answer, self.changed(answer, changes[index // 2 % len(changes)])
        way = index // 2 % 6
        if way == 0:
            return answer, answer
        if way == 1:
            return answer, self.text()
        if way == 2:
            return self.changed(answer), answer
        if way == 3:
            changed = self.changed(answer)
            return changed, changed
        if way == 4:
            return answer, self.changed(self.changed(answer))
        return self.changed(self.changed(answer)), self.changed(answer)

    def changed(self, text, change=None):
        change = change or self.random.choice(CHANGES_ONE + CHANGES_ONE_NUMBER)
        for _ in range(5):
            changed = change(self.random, text)
            if changed != text:
                return changed
            change = self.random.choice(CHANGES_ONE)
        return changed

    def text(self):
        """A text of this kind; now and then without anything."""
        chance = self.random
        what, _, has_cases = self.kind.partition(" ")
        if chance.random() < 0.03:
            return chance.choice([b"", b"\n", b" \n\n"])
        if has_cases:
            count = chance.randint(1, 3)
            lines = [f"Case {number}: {self.line(what)}" for number in range(1, count + 1)]
        elif what in ("huge", "integer", "number", "answer"):
            lines = [self.token(what)]
        else:
            lines = [self.line(what.rstrip("s")) for _ in range(chance.randint(1, 2 if what == "numbers" else 4))]
            if what == "lines" and chance.random() < 0.2:
                lines.insert(chance.randint(0, len(lines)), chance.choice(["", " ", "\t"]))
        return ("\n".join(lines) + "\n").encode()

    def line(self, what):
        most = 1 if self.kind == "integer cases" else 2 if what == "number" else 3
        count = self.random.randint(1, most)
        return " ".join(self.token(what.rstrip("s")) for _ in range(count))

    def token(self, what):
        chance = self.random
        if what == "integer":
            edges = [0, -1, 9, 10, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, 2**63, -(2**63), 10**20]
            return str(chance.choice(edges) if chance.random() < 0.12 else chance.randint(-99, 999))
        if what == "huge":
            return chance.choice(["", "", "-"]) + str(chance.randint(0, 10 ** chance.choice([1, 5, 30])))
        if what == "number":
            edges = ["0", "1e-9", "1e9", "1e301", "-1e999", "5", "-0.0", "1e-320", "12345678.9"]
            if chance.random() < 0.15:
                return chance.choice(edges)
            digits = chance.randint(0, 9)
            return f"{chance.uniform(-1, 1) * 10 ** chance.randint(-2, 4):.{digits}f}"
        if what == "answer":
            return chance.choice(["YES", "NO", "Yes", "no", "yEs"])
        return chance.choice(WORDS)


def tokens(text):
    """The places of tokens."""
    places, start = [], None
    for place, byte in enumerate(text + b" "):
        if byte in b" \t\r\n\v\f":
            if start is not None:
                places.append((start, place))
            start = None
        elif start is None:
            start = place
    return places


def on_token(change):
    def changed(chance, text):
        places = tokens(text)
        if not places:
            return text + b"x"
        start, end = chance.choice(places)
        return text[:start] + change(chance, text[start:end]) + text[end:]
    return changed


def on_byte(wanted, values):
    def changed(chance, text):
        places = [place for place, byte in enumerate(text) if byte in wanted]
        if not places:
            return text + chance.choice(values)
        place = chance.choice(places)
        return text[:place] + chance.choice(values) + text[place + 1:]
    return changed


def letter_case(chance, token):
    return token.swapcase()


def last_digit(chance, token):
    return token[:-1] + b"%d" % ((token[-1] - 47) % 10) if token[-1:].isdigit() else token + b"1"


def leading_zero(chance, token):
    return token[:1] + b"0" + token[1:] if token[:1] in (b"-", b"+") else b"0" + token


def sign(chance, token):
    return token[1:] if token[:1] in (b"-", b"+") else chance.choice([b"-", b"+"]) + token


def no_number(chance, token):
    words = [b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"1e", b"1_0", b"0x1", b".", b"-", b"1e5.", b"-nan", b"2E+", b".5e-"]
    return chance.choice(words)


def spelling(chance, token):
    """Another spelling of about the same number."""
    try:
        value = float(token)
    except ValueError:
        return token + b"."
    return chance.choice([f"{value:e}", f"{value:.12f}", f"{value:+.3f}", f"{value:g}", f"{value:.1f}.", f"{value!r}0"]).encode()


def near(chance, token):
    """A number that is about as far off as checkers permit."""
    try:
        value = float(token)
    except ValueError:
        return b"0"
    error = chance.choice([1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9]) * chance.choice([0.5, 0.99, 1.01, 1.4, 1.6, 1])
    off = value * (1 + error) if chance.random() < 0.5 else value + error
    return repr(off).encode()


def whole_token(chance, token):
    return b""


def extra_token(chance, token):
    return token + chance.choice([b" ", b"\n"]) + chance.choice([b"Case", b"1", b"x", token])


def mark(chance, text):
    return b"\xef\xbb\xbf" + text


def order(chance, text):
    places = tokens(text)
    if len(places) < 2:
        return text + b"0"
    first, second = sorted(chance.sample(places, 2))
    return text[:first[0]] + text[slice(*second)] + text[first[1]:second[0]] + text[slice(*first)] + text[second[1]:]


def line_order(chance, text):
    lines = text.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def all_line_ends(chance, text):
    return text.replace(b"\n", chance.choice([b"\r\n", b"\r", b"\n\n", b" \n"]))


def last_line_end(chance, text):
    return text.rstrip(b"\n") if chance.random() < 0.5 else text + chance.choice([b"\n", b"\r", b" ", b"\v", b"\n\n", b"\x1a"])


def first_blank(chance, text):
    return chance.choice([b" ", b"\n", b"\r\n", b"\t", b"\f"]) + text


CHANGES_ONE = [
    on_token(letter_case), on_byte(b" \n", [b" ", b"  ", b"\t", b"\n", b"\v", b"\f", b"\r", b"", b"\xa0", b" \r\n", b"\n\n", b"\r\r\n"]),
    all_line_ends, last_line_end, order, line_order, on_token(last_digit), on_token(leading_zero), on_token(sign), mark,
    on_token(no_number), on_token(whole_token), on_token(extra_token), first_blank,
    on_byte(b"0123456789abzABZ", [b"\0", b"\xff", b"a\0b"]),
]
CHANGES_ONE_NUMBER = [on_token(near), on_token(near), on_token(near), on_token(spelling)]


def clone(url, directory):
    subprocess.run(["git", "clone", "--quiet", "--depth=1", url, directory], check=True)


def testlib_checker(source, name, directory):
    program = directory / name
    command = ["g++", "-O1", "-std=c++17", "-w", "-I", source, source / "checkers" / f"{name}.cpp", "-o", program]
    subprocess.run(command, check=True)
    files = [directory / f"{name}.{ending}" for ending in ("in", "out", "ans")]

    def check(answer, output):
        for file, text in zip(files, [b"", output, answer]):
            file.write_bytes(text)
        code = subprocess.run([program, *files], stderr=subprocess.DEVNULL).returncode
        return {0: "A", 3: "R"}.get(code, "W")
    return check


def load_dmoj(source):
    """Makes the modules of its checkers known, without those that judge."""
    package = source / "dmoj" / "checkers"
    target = package / "_checker.so"
    include = sysconfig.get_paths()["include"]
    subprocess.run(["cc", "-O1", "-w", "-shared", "-fPIC", f"-I{include}", package / "_checker.c", "-o", target], check=True)
    for name, path in [("dmoj", source / "dmoj"), ("dmoj.checkers", package), ("dmoj.utils", source / "dmoj" / "utils")]:
        module = types.ModuleType(name)
        module.__path__ = [str(path)]
        sys.modules[name] = module
    warnings.simplefilter("ignore")


def dmoj_checker(name):
    name, *arguments = name.split(",")
    values = dict(argument.split("=") for argument in arguments)
    function = importlib.import_module(f"dmoj.checkers.{name}").check

    def check(answer, output):
        result = function(output, answer, point_value=1.0, **values)
        return "A" if getattr(result, "passed", result) else "W"
    return check


def escaped(text):
    plain = {9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\"}
    return "".join(plain.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in text)


def record(name, kind, check):
    lines = [f"{check(*pair)}\t{escaped(pair[0])}\t{escaped(pair[1])}\n" for pair in Pairs(name, kind).all()]
    (HERE / f"{name}.tsv").write_text("".join(lines))
    counts = {verdict: sum(line[0] == verdict for line in lines) for verdict in "AWR"}
    print(name, counts)


def main():
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        if len(sys.argv) == 3:
            testlib, dmoj = map(Path, sys.argv[1:])
        else:
            testlib, dmoj = directory / "testlib", directory / "judge-server"
            clone("https://github.com/MikeMirzayanov/testlib", testlib)
            clone("https://github.com/DMOJ/judge-server", dmoj)
        for name, kind in TESTLIB.items():
            record(name, kind, testlib_checker(testlib, name, directory))
        load_dmoj(dmoj)
        for name, kind in DMOJ.items():
            record(name, kind, dmoj_checker(name))


if __name__ == "__main__":
    main()
