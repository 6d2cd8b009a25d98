# Runs a program on many inputs, one after the other: each in a process of its own, made by fork when the program is
# compiled and nothing of it has run. `batch.c` beside this does the same for programs with a `main`, and says what is
# read and written.
#
# It is started with the program's file as its first argument. Without inputs for a batch it runs the program as Python would.
#
# No process of the program can learn a later input, or write what is said of it: this process reads an input when the
# one before is done, and no other process can look into it, or has open what it reads and writes.

import sys

# Nothing is imported from among the program's files.
OWN_PLACE = sys.path.pop(0)

import gc
import os
import stat
from fcntl import fcntl

# What begins the inputs and each frame; the numbers are those of `build/batch.rs`.
INPUTS = (0x316E696A).to_bytes(4, sys.byteorder)
# What begins them if each is a number of words for the program, these, each with its end, and what it reads.
WORDS = (0x3164776A).to_bytes(4, sys.byteorder)
# What begins them if each frame has the facts of its run, and a run that leaves anything ends the batch.
FACTS = (0x3166636A).to_bytes(4, sys.byteorder)
FRAME = (0x3174756A).to_bytes(4, sys.byteorder)
# Outputs must be shorter to be handed on, and the largest file that the program may write, in bytes.
LONGEST = (64 << 10) + 1
LARGEST = 1 << 20
# Both, with facts.
LARGEST_WITH_FACTS = 8 << 20
# Where the descriptors of this file begin.
FRAMES, GIVEN, END = 200, 201, 202
# The numbers of the calls `ioprio_get` and `sched_getattr`. Elsewhere, there are no batches with facts.
CALLS = {"x86_64": (252, 315), "aarch64": (31, 275)}


def word(number):
    return min(int(number), 0xFFFF_FFFF).to_bytes(4, sys.byteorder)


class Batch:
    def __init__(self):
        from ctypes import CDLL

        self.library = CDLL(None)
        self.control = self.library.prctl
        # PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER: nobody looks into this process, and what a process of
        # the program leaves behind is seen.
        self.is_dumpable = self.control(3, 0, 0, 0, 0)
        is_ready = self.control(4, 0, 0, 0, 0) == 0 and self.control(36, 1, 0, 0, 0) == 0
        if not is_ready or any(map(is_open, range(3, FRAMES))):
            os._exit(1)
        os.dup2(1, FRAMES, False)
        os.dup2(0, GIVEN, False)
        self.at = 0
        kind = self.taken(4)
        self.are_words, self.has_facts = kind == WORDS, kind == FACTS
        self.count, self.well = self.number(), self.number()
        self.input, self.output, shared = self.name(), self.name(), self.name()
        # A place that is not there can keep nothing.
        places = [b".", os.environb.get(b"TMPDIR", b""), shared]
        self.places = {place: set(os.listdir(place)) for place in places if os.path.isdir(place)}

    # The next bytes of all that is given, and none of the later ones.
    def taken(self, length):
        text = b""
        while len(text) < length:
            text += os.pread(GIVEN, length - len(text), self.at + len(text)) or os._exit(1)
        self.at += length
        return text

    def number(self):
        return int.from_bytes(self.taken(4), sys.byteorder)

    def name(self):
        text = b""
        while not text.endswith(b"\0"):
            text += self.taken(1)
        return text[:-1]

    # Takes away what a process of the program left.
    def sweep(self):
        for place, known in self.places.items():
            for name in set(os.listdir(place)) - known:
                os.unlink(os.path.join(place, name))

    # All that a process of the program can leave to the next: in files, and in how this process is scheduled.
    def traces(self):
        from ctypes import create_string_buffer

        paths = list(self.places)
        for place in self.places:
            paths += (os.path.join(place, name) for name in sorted(os.listdir(place)))
        facts = [os.lstat(path) for path in paths]
        files = [(it.st_ino, it.st_mode, it.st_mtime_ns, it.st_ctime_ns) for it in facts]
        order, attributes = CALLS[os.uname().machine]
        own = create_string_buffer(56)
        answers = [self.library.syscall(order, 1, 0), self.library.syscall(attributes, 0, own, 56, 0)]
        try:
            with open("/proc/self/autogroup", "rb") as file:
                group = file.read()
        except OSError:
            group = b""
        return paths, files, answers, own.raw, group

    # Puts the next input where the program reads; its output is new. Returns the program's words.
    def place(self):
        end = self.number()
        end += self.at
        words = [self.name() for _ in range(self.number())] if self.are_words else []
        for fd in range(3):
            # MFD_ALLOW_SEALING, F_ADD_SEALS, F_SEAL_SHRINK: what is written stays counted.
            file = os.memfd_create("batch", 2)
            if fd and self.has_facts:
                fcntl(file, 1033, 2)
            os.dup2(file, fd)
            os.close(file)
        to = 0
        if self.input:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            to = os.open(self.input, flags, 0o644)
        while self.at < end:
            self.at += os.sendfile(to, GIVEN, self.at, end - self.at) or os._exit(1)
        if self.input:
            os.close(to)
        os.lseek(0, 0, os.SEEK_SET)
        return words

    # The file with the output, and its size; nothing if there is none, or too much.
    def written(self, most):
        fd = 1
        try:
            if self.output:
                fd = os.open(self.output, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            facts = os.fstat(fd)
            if stat.S_ISREG(facts.st_mode) and facts.st_size < most and os.fstat(2).st_size < most:
                return fd, facts.st_size
        except OSError:
            pass
        if fd != 1:
            os.close(fd)

    # Runs the inputs. It returns in the process of each of them.
    def run(self):
        import resource
        from time import monotonic, process_time

        longest, largest = (LARGEST_WITH_FACTS,) * 2 if self.has_facts else (LONGEST, LARGEST)
        before = self.has_facts and self.traces()
        # A collection of garbage would copy all pages in each process.
        gc.freeze()
        start = process_time()
        for number in range(self.count):
            words = self.place()
            begun = monotonic()
            child = os.fork()
            if child == 0:
                os.closerange(FRAMES, END)
                self.control(4, self.is_dumpable, 0, 0, 0)
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
                sys.argv += map(os.fsdecode, words)
                return
            _, status, used = os.wait4(child, 0)
            wall = monotonic() - begun
            is_well = os.WIFEXITED(status) and os.WEXITSTATUS(status) == self.well
            is_alone = left_nobody() and before == (self.has_facts and self.traces())
            fd, size = is_well and is_alone and self.written(longest) or (None, 0)
            kind = 0 if fd is None else 3 if self.has_facts else 1
            write_all(FRAMES, FRAME + word(number) + word(kind) + word(size))
            sent = 0
            while sent < size:
                sent += os.sendfile(FRAMES, fd, sent, size - sent) or os._exit(1)
            if kind == 3:
                # The start, which all inputs share, counts for each.
                cpu = start + used.ru_utime + used.ru_stime
                facts = cpu * 1e6, (start + wall) * 1e6, used.ru_maxrss, os.fstat(2).st_size
                write_all(FRAMES, word(len(facts)) + b"".join(map(word, facts)))
            if fd not in (None, 1):
                os.close(fd)
            if not is_alone:
                break
            if not self.has_facts:
                self.sweep()
        os._exit(0)


def is_open(fd):
    try:
        os.fstat(fd)
        return True
    except OSError:
        return False


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
    sys.path.insert(0, os.path.dirname(path) or OWN_PLACE)
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    try:
        is_batch = os.pread(0, 4, 0) in (INPUTS, WORDS, FACTS)
    except OSError:
        is_batch = False
    if is_batch:
        try:
            Batch().run()
        except BaseException:
            os._exit(1)
    names = globals()
    for name in [name for name in names if not name.startswith("__")]:
        del names[name]
    names["__file__"] = path
    return code, is_batch


# In a batch, a program ends without the end of the interpreter, which takes longer than most programs.
def main():
    import sys
    from _thread import _count as threads
    from atexit import _run_exitfuncs as run_last
    from os import _exit as end

    code, is_batch = begin()
    names, status = globals(), 0
    try:
        exec(code, names)
    except SystemExit as given:
        status = 0 if given.code is None else given.code
        if not is_batch or not isinstance(status, int) or threads():
            raise
    if not is_batch or threads():
        return
    run_last()
    names.clear()
    for stream in (sys.stdout, sys.stderr):
        if stream and not stream.closed:
            stream.flush()
    end(status & 0xFF)


main()
