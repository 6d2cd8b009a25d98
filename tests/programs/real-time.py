#!/usr/bin/python3
import os
for policy in (os.SCHED_FIFO, os.SCHED_RR):
    try:
        os.sched_setscheduler(0, policy, os.sched_param(1))
        print("ESCAPED: in real time")
    except PermissionError:
        pass
