#!/bin/sh
# in_place.sh [ORCH]: the program of a release works on the machine where this is run: a bare one has all that it needs.
# In a new home, which is removed at the end. Exit 0: all is right.
# shellcheck disable=SC2016  # other shells expand
set -u
orch=${1:-orch}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME="$folder/home" TERM=dumb
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_STATE_HOME ORCH_STATE_DIR
mkdir -p "$HOME/.config/orch/adapters" "$folder/work" "$folder/beside"
cd "$folder/work" || exit
failed=0

# expect WHAT CODES WORDS COMMAND...: the command ends with one of the codes ("0 1"), and its output has the words.
expect() {
  what=$1 codes=$2 words=$3 code=0
  shift 3
  "$@" >"$folder/said" 2>&1 </dev/null || code=$?
  if [ "${codes#*"$code"}" != "$codes" ] && { [ -z "$words" ] || grep -qF -- "$words" "$folder/said"; }; then
    echo "ok: $what"
    return
  fi
  echo "FAILED: $what: exit $code"
  tail -n 20 "$folder/said" | sed 's/^/    /'
  failed=1
}

expect "it starts" 0 'orch ' "$orch" --version
expect "the demo completes" 0 'complete (exit 0)' "$orch" run demo
expect "doctor looks at the machine" '0 1' 'landlock' "$orch" doctor
has_landlock=false
if grep -q 'ok *landlock' "$folder/said"; then has_landlock=true; fi

escape="echo x >'$folder/beside/written'"
if $has_landlock; then
  expect "a fenced program works" 0 'words' "$orch" run fenced --sandbox landlock -- echo words
  expect "... and cannot write outside" 1 'create ' "$orch" run outside --sandbox landlock -- sh -c "$escape"
else
  expect "a fence that cannot be had is refused" 2 'no fence' "$orch" run fenced --sandbox landlock -- sh -c "$escape"
fi
expect "... nothing is outside" 0 '' test ! -e "$folder/beside/written"

# What stdio prints passes through orch's own streams.
expect "output that cannot be written is an error" 125 'cannot write standard output' sh -c '"$0" agents >/dev/full' "$orch"
expect "a program says words for a runner of CI" 0 '' "$orch" run words --output quiet -- echo '::error::words'
expect "... and orch logs shows them" 0 '::error::words' "$orch" logs words
expect "... but no runner obeys them" 1 '' sh -c 'GITHUB_ACTIONS=true "$0" logs words | grep "^::error"' "$orch"

# An agent without a terminal: a script that writes JSON lines.
cat >"$folder/agent.sh" <<'END'
cat >/dev/null
printf '%s\n' '{"type":"say","text":"All is done.\nLOOP_COMPLETE"}' '{"type":"end"}'
END
cat >"$HOME/.config/orch/adapters/own.json" <<END
{"manifest": 1, "name": "own", "title": "Own", "program": ["sh"],
 "headless": {"arguments": ["$folder/agent.sh"], "lines": [
   {"is": "words", "when": {"/type": "say"}, "text": "/text"}, {"is": "end", "when": {"/type": "end"}}]}}
END
expect "an agent without a terminal completes" 0 'complete (exit 0)' \
  "$orch" run headless --agent own --mode headless --sandbox none -p 'do it'

expect "a run in the background begins" 0 '' "$orch" run behind -d -- sh -c 'sleep 1000'
expect "... and is ended" 0 '' "$orch" kill behind
if command -v tmux >/dev/null; then
  expect "a run in tmux begins" 0 '' "$orch" run inside -d --session-manager tmux -- sh -c 'sleep 1000'
  expect "... and is ended" 0 '' "$orch" kill inside
fi
exit $failed
