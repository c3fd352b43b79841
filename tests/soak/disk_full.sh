#!/usr/bin/env bash
# disk_full.sh ORCH [KB...]: the state directory on a file system of that many kilobytes (1024, then
# ever smaller ones) with an agent that says more than fits. Each time: 125, no process is left, every
# JSON file is absent or whole, the recording and the event log end with a whole line. 77 where
# nothing can be mounted.
set -euo pipefail
orch=$(realpath "${1:?usage: disk_full.sh ORCH [KB...]}")
if [[ ${2:-} != inside ]]; then
  if ! unshare --mount true 2>/dev/null; then
    echo "skipped: unshare --mount is not permitted here"
    exit 77
  fi
  exec unshare --mount "$0" "$orch" inside "${@:2}"
fi
sizes=("${@:3}")
if ((${#sizes[@]} == 0)); then sizes=(1024 256 64 32 24 16 12 8 4); fi

folder=$(mktemp -d)
trap 'umount "$folder/state" 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir -p "$folder/state" "$folder/project/.git"
export HOME=$folder
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME
cd "$folder/project"
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

check_file() {
  case $1 in
    *.json)
      # Written whole: the last line ends the object.
      [[ $(tail -n 1 "$1") == *'}' && $(tail -c 1 "$1" | od -An -tx1) == *0a ]] || fail "$1 is cut"
      ;;
    *.cast | *.jsonl)
      [[ ! -s $1 || $(tail -c 1 "$1" | od -An -tx1) == *0a ]] || fail "$1 ends within a line"
      ;;
    *.sock | *.lock | *.txt | *.md | *.log) ;;
    *) fail "$1 was left behind" ;;
  esac
}

printf '%8s %5s %6s %7s %10s  %s\n' KB code files KB "recording" "the last line on stderr"
for kb in "${sizes[@]}"; do
  mount -t tmpfs -o "size=${kb}k" none "$folder/state"
  code=0
  # shellcheck disable=SC2016  # the agent's shell expands it
  SOAK=$folder/. timeout 60 "$orch" run x --state-dir "$folder/state/orch" --output quiet -- \
    sh -c 'sleep 1000 & i=0; while :; do i=$((i + 1)); echo "line $i of many: 1234567890"; done' 2>"$folder/errors" || code=$?
  if [[ $code != 125 ]]; then fail "$kb KB: exit code $code"; fi
  # The guardian learns of the end by a pipe, and goes a moment later.
  # shellcheck disable=SC2016  # that shell expands it
  timeout 5 sh -c 'while grep -qsaF "SOAK=$1/." /proc/[0-9]*/environ; do :; done' - "$folder" ||
    fail "$kb KB: a process was left"
  mapfile -t files < <(find "$folder/state" -type f)
  for file in "${files[@]}"; do check_file "$file"; done
  cast=$(find "$folder/state" -name output.cast)
  shown=none
  if [[ -n $cast ]]; then
    if "$orch" replay "$cast" >/dev/null 2>"$folder/replay"; then shown=readable; else shown=unreadable; fi
    if [[ $shown == unreadable ]]; then fail "$(cat "$folder/replay")"; fi
  fi
  printf '%8d %5d %6d %7d %10s  %s\n' "$kb" "$code" ${#files[@]} \
    "$(du -sk "$folder/state" | cut -f1)" "$shown" "$(tail -n 1 "$folder/errors" | sed "s|$folder|.|g" | cut -c1-110)"
  umount "$folder/state"
done
exit "$failed"
