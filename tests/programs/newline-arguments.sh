#!/bin/sh
# An argument is never read by a shell.
[ "$1" = '
; touch /tmp/pwned # $(id) `id`' ] || echo "ESCAPED: another argument: $1"
[ -e /tmp/pwned ] && echo "ESCAPED: it was run"
exit 0
