#!/usr/bin/env bash
# sessions.sh ORCH [N [SECONDS [MS]]]: N (50) detached sessions of the demo agent, all of them idle.
# `orch sessions` takes less than MS (100; median of 5), and within SECONDS (10) no host and no guardian
# runs even once: their context switches do not grow.
set -euo pipefail
orch=$(realpath "${1:?usage: sessions.sh ORCH [N [SECONDS [MS]]]}")
count=${2:-50}
seconds=${3:-10}
limit_ms=${4:-100}

folder=$(mktemp -d)
trap '"$orch" kill --all-repositories --now >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
export HOME=$folder ORCH_STATE_DIR=$folder/state
unset XDG_RUNTIME_DIR XDG_CONFIG_HOME
mkdir -p "$folder/project/.git"
cd "$folder/project"

ms() { date +%s%3N; }
members() { "$orch" sessions --json | sed -n "s/^ *\"$1\": \"\?\([^\",]*\).*/\1/p"; }
switches() { sed -n 's/^.*voluntary_ctxt_switches:\t//p' "/proc/$1/status"; }
guardians_of() {
  local children
  read -ra children <"/proc/$1/task/$1/children" || true # no line feed
  for child in "${children[@]}"; do
    if [[ $(<"/proc/$child/comm") == guardian ]]; then echo "$child"; fi
  done
}

start=$(ms)
for ((i = 1; i <= count; i++)); do
  "$orch" run "$i" -d --agent demo --until exit -p hello >/dev/null
done
printf '%6d ms  to start %d sessions\n' $(($(ms) - start)) "$count"
# Idle again after their one turn.
idle=0
while ((idle < count && $(ms) - start < 120000)); do
  sleep 0.2
  idle=$(paste <(members status) <(members turns) | grep -cx $'idle\t1' || true)
done
printf '%6d ms  until %d were idle\n' $(($(ms) - start)) "$idle"
sleep 3 # rows that came to rest are told up to 1 s after the last output

failed=0
if ((idle < count)); then failed=1; fi

times=()
for _ in 1 2 3 4 5; do
  start=$(date +%s%N)
  "$orch" sessions >/dev/null
  times+=($((($(date +%s%N) - start) / 1000000)))
done
mapfile -t times < <(printf '%s\n' "${times[@]}" | sort -n)
printf '%6d ms  orch sessions, median of %s (limit %d)\n' "${times[2]}" "${times[*]}" "$limit_ms"
if ((times[2] >= limit_ms)); then failed=1; fi

# Name and pid of everything that must rest.
mapfile -t hosts < <(members pid)
resting=()
for pid in "${hosts[@]}"; do
  resting+=("host:$pid")
  for guardian in $(guardians_of "$pid"); do resting+=("guardian:$guardian"); done
done
printf '%6d     hosts and guardians\n' ${#resting[@]}
if ((${#resting[@]} != 2 * count)); then
  echo "FAILED: expected $((2 * count))"
  failed=1
fi

declare -A before
look() {
  for each in "${resting[@]}"; do before[$each]=$(switches "${each#*:}"); done
}
# On a busy machine what is to happen a second after the last output comes late.
for ((waited = 0; waited < 30; ++waited)); do
  look
  sleep 1
  for each in "${resting[@]}"; do
    [[ $(switches "${each#*:}") == "${before[$each]}" ]] || continue 2
  done
  break
done
look
sleep "$seconds"
growth=0
for each in "${resting[@]}"; do
  after=$(switches "${each#*:}")
  if [[ $after != "${before[$each]}" ]]; then
    echo "FAILED: $each was woken: ${before[$each]//$'\n'/+} switches, then ${after//$'\n'/+}"
    growth=$((growth + 1))
  fi
done
printf '%6d     of them ran within %d s (limit 0)\n' "$growth" "$seconds"
if ((growth > 0)); then failed=1; fi

for kind in host guardian; do
  for each in "${resting[@]}"; do
    if [[ $each == "$kind":* ]]; then sed -n 's/^VmRSS:[\t ]*\([0-9]*\) kB/\1/p' "/proc/${each#*:}/status"; fi
  done | sort -n | awk -v kind="$kind" '
    { kb[NR] = $1; sum += $1 }
    END { printf "%6.1f MB  resident per %s, median (max %.1f, all %.0f MB)\n",
          kb[int((NR + 1) / 2)] / 1024, kind, kb[NR] / 1024, sum / 1024 }'
done
exit "$failed"
