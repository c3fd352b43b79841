#!/usr/bin/env bash
# new_agent.sh ORCH RECORDING: orch agents new with a recording, and keys as a user would type them. A proposal is a
# manifest without mistakes, on standard output, or in the user's settings, where it replaces no file unasked.
set -euo pipefail
orch=${1:?ORCH} recording=${2:?RECORDING}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CONFIG_HOME=$folder ORCH_STATE_DIR=$folder/state
file=$folder/orch/adapters/mine.json

propose() { "$orch" agents new mine --on "$recording" "$@" -- mine --fast 2>"$folder/said"; }
fail() {
  echo "FAILED: $*"
  cat "$folder/said"
  exit 1
}

printf 'idx' | propose >"$folder/shown" || fail "no proposal"
"$orch" agents --check "$folder/shown" >/dev/null || fail "it has mistakes"
grep -q '"--fast"' "$folder/shown" || fail "it does not name the program"
grep -q 'is right about' "$folder/said" || fail "it is not measured"
[[ ! -e $file ]] || fail "it was written unasked"

propose --write </dev/null || fail "not written"
"$orch" agents --check "$file" >/dev/null || fail "what was written has mistakes"
echo mine >"$file"
if propose --write </dev/null; then fail "another file was replaced unasked"; fi
[[ $(<"$file") == mine ]] || fail "another file was changed"
propose --write --force </dev/null || fail "not replaced with --force"
"$orch" agents --check "$file" >/dev/null || fail "what replaced it has mistakes"

if "$orch" agents new mine -- true </dev/null 2>"$folder/said"; then fail "a program without a terminal"; fi
grep -q 'needs a terminal' "$folder/said" || fail "it does not say that it needs a terminal"
