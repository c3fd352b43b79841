#!/usr/bin/env bash
# old_kernel.sh ORCH OLD_KERNEL [WITHOUT...]: orch where the system calls of Linux after 4.18 answer ENOSYS, together and
# one by one (tests/soak/old_kernel.cc): run, send, kill, undo, gc and doctor work, and a fence holds or is refused by
# one line. OLD_KERNEL is that program. Exit 77 where it may not filter calls.
set -uo pipefail
orch=$(realpath "${1:?usage: old_kernel.sh ORCH OLD_KERNEL [WITHOUT...]}")
old_kernel=$(realpath "${2:?usage: old_kernel.sh ORCH OLD_KERNEL [WITHOUT...]}")
all=("${@:3}")
((${#all[@]} > 0)) ||
  all=(4.18 statx pidfd_send_signal io_uring pidfd_open clone3 close_range openat2 faccessat2 landlock)
if ! "$old_kernel" 4.18 true; then
  echo "skipped: system calls may not be filtered here"
  exit 77
fi

folder=$(mktemp -d)
in_old() { "$old_kernel" "$without" "$orch" "$@"; }
trap 'in_old kill --all-repositories --now >/dev/null 2>&1; rm -rf "$folder"' EXIT
export HOME=$folder/home ORCH_DEMO_SPEED=5 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME

failed=0
# expect CODES WORDS COMMAND...: that command of orch ends with one of the codes ("0|1"), and its output has the words.
expect() {
  local codes=$1 words=$2 code=0
  shift 2
  timeout 120 "$old_kernel" "$without" "$orch" "$@" >"$folder/said" 2>&1 </dev/null || code=$?
  if [[ "|$codes|" == *"|$code|"* ]] && grep -qF -- "$words" "$folder/said"; then return 0; fi
  fail "exit $code, and not \"$words\": orch $*"
  sed 's/^/    /' "$folder/said" | tail -20
}
same() { # WHAT IS WANTED
  [[ $2 == "$3" ]] || fail "$1 is \"$2\", not \"$3\""
}
fail() {
  echo "FAILED without $without: $1"
  failed=1
}

for without in "${all[@]}"; do
  export ORCH_STATE_DIR=$folder/$without/state
  project=$folder/$without/project
  mkdir -p "$HOME" "$project"
  cd "$project" || exit
  git init -q && echo one >file && git add file && git commit -qm one
  begun=$EPOCHREALTIME

  expect 0 'a word' run 1 --require-changes -- sh -c 'echo a word; echo two >file; rm -f .git/index'
  same "the changed file" "$(cat file)" two
  expect 0 '' undo 1 --yes
  same "the file after undo" "$(cat file)" one

  ORCH_DEMO_SCENARIO='echo' expect 0 '' run 2 -d --agent demo --until exit
  expect 0 accepted send 2 'hello there' --wait idle --json
  expect 0 '' kill 2
  if [[ $without == 4.18 || $without == pidfd_* ]]; then
    # A host that does not answer any more: only a signal ends it, after some seconds.
    expect 0 '' run 3 -d -- sh -c 'trap "" TERM; while :; do sleep 1000; done'
    kill -STOP "$(in_old sessions --json | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' | head -1)"
    expect 0 '' kill 3 --now
  fi
  expect 0 '[]' sessions --json

  # The fence holds, or the run is refused by one line.
  mkdir -p "$folder/$without/beside"
  escape="echo x >'$folder/$without/beside/written'"
  expect '0|1' landlock doctor
  if grep -q 'landlock *no: the kernel has none' "$folder/said"; then
    expect 2 'this machine has no fence (no Landlock' run 4 --sandbox landlock -- sh -c "$escape"
    same "lines of the refusal" "$(wc -l <"$folder/said")" 1
  else
    expect 1 'cannot create' run 4 --sandbox landlock -- sh -c "$escape"
  fi
  [[ ! -e $folder/$without/beside/written ]] || fail "a fenced program wrote outside"
  expect 0 '' gc --older-than 0s
  expect 0 '[]' runs --json
  awk -v a="$begun" -v b="$EPOCHREALTIME" -v without="$without" \
    'BEGIN { printf "%6.1f s  without %s\n", b - a, without == "4.18" ? "all calls after Linux 4.18" : without }'
done
exit "$failed"
