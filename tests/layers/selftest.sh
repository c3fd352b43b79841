#!/usr/bin/env bash
# layers.sh must accept a good tree and refuse each bad line, at its place.
set -euo pipefail
layers=$(dirname "$(realpath "$0")")/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# A line may stand in some modules and not in others.
good=(
  'loop|#include <uv.h>'
  'http|#include <curl/curl.h>'
  'base|#include <re2/re2.h>'
  'yaml|#include <yaml-cpp/yaml.h>'
  'cli|#include <CLI/CLI.hpp>'
  'setup|#include <spdlog/spdlog.h>'
  'pty|#include "base/log.h"'
  'pty|#include <unistd.h>'
  'store|const bool there = presence_of(path).is_present();'
  'cli|const char* home = getenv("HOME");'
  'loop|auto now = std::chrono::steady_clock::now();'
  'term|#include "term/screen.h"'
  'run|int64_t deadline_ms = now_ms + kWait;  // no unistd.h here'
)
bad=(
  'term|#include "../base/fd.h"'
  'cli|#include "./app.h"'
  'pty|#include <uv.h>'
  'session|  #  include "uv.h"'
  'run|#include <re2/re2.h>'
  'detect|#include <re2/re2.h>'
  'run|#include "term/keys.h"'
  'policy|#include "detect/dialog.h"'
  'agent|#include "adapters/manifest.h"'
  'cli|#include <curl/curl.h>'
  'cli|#include <yaml-cpp/yaml.h>'
  'session|#include <CLI/CLI.hpp>'
  'session|#include <spdlog/spdlog.h>'
  'detect|#include "base/log.h"'
  'term|#include <vterm.h>'
  'event|#include <fstream>'
  'term|#include <unistd.h>'
  'detect|#include <sys/stat.h>'
  'adapters|#include <filesystem>'
  'run|#include <thread>'
  'wire|#include <mutex>'
  'task|#include <fcntl.h>'
  'run|  const auto now = std::chrono::steady_clock::now();'
  'detect|  clock_gettime(CLOCK_MONOTONIC, &now);'
  'task|  const auto now = std::time(nullptr);'
  'adapters|  const char* home = std::getenv("HOME");'
  'store|  if (fs::exists(path, failure)) return true;'
  'store|  const bool there = ::access(path.c_str(), F_OK) == 0;'
  'store|  std::ifstream file(path);'
  'store|  const auto text = read_regular_file(path, kMost);'
)

mkdir -p "$tree/tests" "$tree/src"
places='base screen/term types/event types/agent types/wire loop pty detect adapters files/store files/yaml safety/policy
  runs/run runs/session work/task work/http frontend/setup cli'
printf 'foreach(module\n  %s)\n' "$places" >"$tree/src/CMakeLists.txt"
declare -A folder_of=()
for place in $places; do
  module=${place##*/}
  folder_of[$module]=src/$place
  mkdir -p "$tree/src/$place"
  printf 'orch_module(%s\n  SOURCES a.cc\n  DEPS base\n  LIBS fmt::fmt)\n' "$module" >"$tree/src/$place/CMakeLists.txt"
done

for entry in "${good[@]}"; do
  echo "${entry#*|}" >>"$tree/${folder_of[${entry%%|*}]}/good.cc"
done
"$layers" "$tree" || fail "the good tree is refused"

for entry in "${bad[@]}"; do
  file=${folder_of[${entry%%|*}]}/bad.cc
  printf '\n%s\n' "${entry#*|}" >"$tree/$file"
  if found=$("$layers" "$tree"); then
    fail "accepted in $file: ${entry#*|}"
  elif [[ $found != "$file:2: "* || $found == *$'\n'* ]]; then
    fail "reported for $file line 2: $found"
  fi
  rm "$tree/$file"
done

# bad_deps MODULE DEPS REASON: what a module may not declare.
bad_deps() {
  local file=${folder_of[$1]}/CMakeLists.txt
  sed -i "s/DEPS base/DEPS base $2/" "$tree/$file"
  found=$("$layers" "$tree") && fail "accepted: $1 depends on $2"
  [[ $found == "$file:1: $3"* ]] || fail "reported of $1 and $2: $found"
  sed -i "s/DEPS base $2/DEPS base/" "$tree/$file"
}
bad_deps agent loop 'a pure module cannot depend on loop'
bad_deps store session 'store cannot depend on session, which is in a later wing'
sed -i 's|cli)|cli files/http)|' "$tree/src/CMakeLists.txt"
"$layers" "$tree" >/dev/null && fail "accepted: a wing whose modules stand apart"

if ((failures > 0)); then
  exit 1
fi
echo "${#bad[@]} bad lines refused, ${#good[@]} good ones accepted"
