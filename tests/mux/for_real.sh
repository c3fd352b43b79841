#!/bin/sh
# for_real.sh PROGRAM TEST [CASES]: runs the cases that need PROGRAM itself; without it they are skipped.
command -v "$1" >/dev/null || {
  echo "skipped: $1 is not installed"
  exit 77
}
shift
"$@" || exit 1
