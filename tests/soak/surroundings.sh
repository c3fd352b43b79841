#!/usr/bin/env bash
# orch among every kind of stdin, stdout and stderr, in the foreground and out of it:
#   tests/soak/surroundings.sh [--part N] [--jobs N] [ORCH]
set -euo pipefail
cd "$(dirname "$0")/../.."
options=() orch=build/release/bin/orch
while (($# > 0)); do
  case $1 in
    --part | --jobs | --only) options+=("$1" "${2:?}") && shift 2 ;;
    *) orch=$1 && shift ;;
  esac
done
exec python3 tests/soak/surroundings.py "${options[@]}" "$orch"
