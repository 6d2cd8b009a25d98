#!/usr/bin/python3
import os
os.mkfifo("out")
