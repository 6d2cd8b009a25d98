#!/bin/sh
while :; do echo "error: everything is wrong" >&2; done
