#!/usr/bin/python3
# A path that is longer than any path may be.
import os
for depth in range(30):
    os.mkdir("x" * 255)
    os.chdir("x" * 255)
open("y" * 255, "w").close()
