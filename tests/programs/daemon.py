#!/usr/bin/python3
# A daemon by the book: two forks, a session of its own, no terminal, no signals.
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (1, 2, 3, 13, 15):
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(1)
    os._exit(0)
os.wait()
