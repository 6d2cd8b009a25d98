#!/usr/bin/python3
import os
for name in ("a\nb", "\x1b[31m", " ", "-rf", "*", "$(reboot)", "\\", "caf\udce9", "'\""):
    open(name, "w").close()
    os.mkdir(name + "d")
open("out", "w").write("answer")
