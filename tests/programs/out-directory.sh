#!/bin/sh
mkdir out && echo secret > out/out
