#!/usr/bin/python3
import os
os.kill(os.getpid(), 9)
