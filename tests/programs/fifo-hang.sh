#!/bin/sh
mkfifo pipe
read -r line < pipe
