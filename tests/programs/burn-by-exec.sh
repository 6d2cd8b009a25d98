#!/bin/sh
# Becomes another program all the time.
exec "$0"
