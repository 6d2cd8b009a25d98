# Runs a program on many inputs, one after the other: each in a process of its own, made by fork when the program is
# compiled and nothing of it has run. `batch.c` beside this does the same for programs with a `main`, and says what is
# read and written.
#
# It is started with the program's file as its first argument. Without inputs for a batch it runs the program as Python would.

import gc
import os
import stat
import sys

# What begins the inputs and each frame; the numbers are those of `build/batch.rs`.
INPUTS = (0x316E696A).to_bytes(4, sys.byteorder)
# What begins them if each is a number of words for the program, these, each with its end, and what it reads.
WORDS = (0x3164776A).to_bytes(4, sys.byteorder)
FRAME = (0x3174756A).to_bytes(4, sys.byteorder)
# The longest output that is handed on, and the largest file that the program may write, in bytes.
LONGEST = 64 << 10
LARGEST = 1 << 20
# Where the descriptors of this file begin.
FRAMES, READS, WRITES, END = 200, 201, 202, 203


def word(number):
    return number.to_bytes(4, sys.byteorder)


class Batch:
    def __init__(self, given):
        import resource
        from ctypes import CDLL

        self.given, self.at = given, 4
        self.are_words = given.startswith(WORDS)
        self.count, self.well = self.number(), self.number()
        self.input, self.output, shared = self.name(), self.name(), self.name()
        # A place that is not there can keep nothing.
        places = [b".", os.environb.get(b"TMPDIR", b""), shared]
        self.places = {place: self.listed(place) for place in places if os.path.isdir(place)}
        # PR_SET_CHILD_SUBREAPER: what a process of the program leaves behind is seen.
        is_ready = CDLL(None).prctl(36, 1, 0, 0, 0) == 0 and not any(map(is_open, range(3, FRAMES)))
        if not is_ready:
            os._exit(1)
        os.dup2(1, FRAMES, False)
        move(os.memfd_create("input"), READS)
        move(os.memfd_create("output"), WRITES)
        os.dup2(WRITES, 1)
        if self.input:
            move(os.open("/dev/null", os.O_RDONLY), 0, True)
        else:
            os.dup2(READS, 0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))

    def number(self):
        self.at += 4
        return int.from_bytes(self.given[self.at - 4 : self.at], sys.byteorder)

    def name(self):
        start, self.at = self.at, self.given.index(b"\0", self.at) + 1
        return self.given[start : self.at - 1]

    def listed(self, place):
        return set(os.listdir(place))

    # Takes away what a process of the program left.
    def sweep(self):
        for place, known in self.places.items():
            for name in self.listed(place) - known:
                os.unlink(os.path.join(place, name))

    # Puts the next input where the program reads; its output is to be empty.
    def place(self, text):
        os.ftruncate(WRITES, 0)
        os.lseek(WRITES, 0, os.SEEK_SET)
        if self.input:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            fd = os.open(self.input, flags, 0o644)
            write_all(fd, text)
            os.close(fd)
        else:
            os.ftruncate(READS, 0)
            os.lseek(READS, 0, os.SEEK_SET)
            write_all(READS, text)
            os.lseek(READS, 0, os.SEEK_SET)

    # The output; nothing if there is none, or too much.
    def written(self):
        fd = WRITES
        try:
            if self.output:
                fd = os.open(self.output, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            facts = os.fstat(fd)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > LONGEST:
                return None
            return os.pread(fd, LONGEST, 0)
        except OSError:
            return None
        finally:
            if fd != WRITES:
                os.close(fd)

    # Runs the inputs. It returns in the process of each of them.
    def run(self):
        # A collection of garbage would copy all pages in each process.
        gc.freeze()
        for number in range(self.count):
            length = self.number()
            text = self.given[self.at : self.at + length]
            self.at += length
            words = []
            if self.are_words:
                count = int.from_bytes(text[:4], sys.byteorder)
                *words, text = text[4:].split(b"\0", count)
            self.place(text)
            child = os.fork()
            if child == 0:
                os.closerange(FRAMES, END)
                sys.argv += map(os.fsdecode, words)
                return
            status = os.waitpid(child, 0)[1]
            is_well = os.WIFEXITED(status) and os.WEXITSTATUS(status) == self.well
            is_alone = left_nobody()
            output = self.written() if is_well and is_alone else None
            head = [word(number), word(output is not None), word(len(output or b""))]
            write_all(FRAMES, FRAME + b"".join(head) + (output or b""))
            if not is_alone:
                break
            self.sweep()
        os._exit(0)


def is_open(fd):
    try:
        os.fstat(fd)
        return True
    except OSError:
        return False


def move(fd, to, inheritable=False):
    os.dup2(fd, to, inheritable)
    os.close(fd)


def write_all(fd, text):
    while text:
        text = text[os.write(fd, text) :]


# Whether no process is left; those that ended are ours by now.
def left_nobody():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
        return False
    except ChildProcessError:
        return True


# The program's code, in the process that is to run it, with nothing of this file in its names; whether others follow.
def begin():
    sys.argv = sys.argv[1:]
    path = sys.argv[0]
    sys.path[0] = os.path.dirname(path)
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    try:
        is_batch = os.pread(0, 4, 0) in (INPUTS, WORDS)
    except OSError:
        is_batch = False
    if is_batch:
        size = os.fstat(0).st_size
        given = b""
        while len(given) < size:
            given += os.pread(0, size - len(given), len(given))
        try:
            Batch(given).run()
        except Exception:
            os._exit(1)
    names = globals()
    for name in [name for name in names if not name.startswith("__")]:
        del names[name]
    names["__file__"] = path
    return code, is_batch


# In a batch, a program ends without the end of the interpreter, which takes longer than most programs.
def main():
    import sys
    from atexit import _run_exitfuncs as run_last
    from os import _exit as end

    code, is_batch = begin()
    names, status = globals(), 0
    try:
        exec(code, names)
    except SystemExit as given:
        status = 0 if given.code is None else given.code
        if not is_batch or not isinstance(status, int) or "threading" in sys.modules:
            raise
    if not is_batch or "threading" in sys.modules:
        return
    run_last()
    names.clear()
    for stream in (sys.stdout, sys.stderr):
        if stream and not stream.closed:
            stream.flush()
    end(status & 0xFF)


main()
