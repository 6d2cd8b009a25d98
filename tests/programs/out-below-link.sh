#!/bin/sh
# The directory is the link.
ln -s /etc directory
mkdir real
