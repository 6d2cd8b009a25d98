#!/usr/bin/python3
import os
reading, writing = os.pipe()
os.read(reading, 1)
