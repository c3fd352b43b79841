#!/usr/bin/env bash
# layers.sh ROOT: refuses what the include paths cannot. Prints every violation as file:line: reason, and
# exits 1 if there is one. The layers themselves are drawn in HACKING.md.
set -euo pipefail
cd "${1:?usage: layers.sh ROOT}"

pure_modules=(event agent term mask report attach options detect adapters policy driver run wire yaml task mcp crew)
violations=0

report() {  # reason, then grep's file:line:text lines on stdin
  local line
  while IFS= read -r line; do
    printf '%s: %s\n' "$(cut -d: -f1,2 <<<"$line")" "$1"
    violations=$((violations + 1))
  done
}

# refuse REASON REGEX PATH...: REGEX (extended) must not match a line of any C++ file below the paths.
refuse() {
  local reason=$1 regex=$2
  shift 2
  (($# == 0)) && return
  report "$reason" < <(grep -rnE --include='*.h' --include='*.cc' --include='*.in' "$regex" "$@" || true)
}

# sole HEADER-REGEX MODULE: only src/MODULE may include it ('-': nobody).
sole() {
  local folder others=()
  for folder in src/*/; do
    [[ $folder == "src/$2/" ]] || others+=("$folder")
  done
  refuse "$1 belongs to ${2/#-/no module}" "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$1" "${others[@]}"
}

refuse 'include by "module/header.h"' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"\.\.?/' src tests
sole 'uv\.h' loop
sole 'uv/' loop
sole 're2/' base
sole 'curl/' http
sole 'sqlite3\.h' sqlite
sole 'yaml-cpp/' yaml
sole 'CLI/' cli
sole 'spdlog/' setup
sole 'vterm' -

pure=()
for module in "${pure_modules[@]}"; do
  [[ -d src/$module ]] && pure+=("src/$module")
done
io_headers='unistd\.h|fcntl\.h|poll\.h|termios\.h|pty\.h|sys/|fstream|iostream|filesystem|thread|mutex|shared_mutex|future|condition_variable|semaphore'
refuse 'a pure module does no I/O and has no threads' \
  "^[[:space:]]*#[[:space:]]*include[[:space:]]*<($io_headers)" "${pure[@]}"
refuse 'a pure module is told the time' \
  '(_clock::now|[^_[:alnum:]](clock_)?gettime(ofday)?[[:space:]]*\(|std::time[[:space:]]*\()' "${pure[@]}"
refuse 'a pure module is told its environment' '(^|[^_[:alnum:]])(secure_)?getenv[[:space:]]*\(' "${pure[@]}"

# The shape of what others wrote is looked at before it is parsed (base/json.h). A hook's JSON is neither
# copied nor written.
mapfile -t parsers < <(find src -name '*.cc' ! -path 'src/base/*' ! -path src/driver/json_way.cc \
  ! -path src/adapters/hook.cc)
refuse 'JSON is parsed by base::parse_json() or driver::parse_agent_json()' '[Jj]son::parse\(' "${parsers[@]}"

# What cannot be read is not missing: state is read by store/state_file.h, whose answers are three (store/found.h).
# Other files there look at what is no state: a temporary folder, a work directory, a file that a person has named.
mapfile -t readers < <(find src/store src/client src/host src/task_run src/duties/guardian.cc src/duties/snapshot.cc \
  src/setup/checkup_records.cc src/cli/gc_command.cc src/cli/undo_command.cc src/cli/kept_presents.cc \
  src/cli/kill_command.cc src/cli/show_command.cc src/cli/wait_command.cc -name '*.cc' \
  ! -name state_file.cc ! -name folder_at.cc ! -name temporary_folder.cc ! -name repo_facts.cc 2>/dev/null)
refuse 'state is read by store/state_file.h: present, absent or unknown' \
  '(fs|filesystem)::(exists|is_empty|last_write_time|symlink_status|status|directory_iterator|directory_entry)|::access\(|::opendir\(|ifstream' \
  "${readers[@]}"
mapfile -t readers < <(find src/store src/client src/host -name '*.cc' \
  ! -name file_io.cc ! -name own_file.cc ! -name repository_file.cc ! -name cast_reader.cc 2>/dev/null)
refuse 'state is read by read_state(), which knows what is missing' \
  '(^|[^_[:alnum:]])(read_file|read_regular_file)\(' "${readers[@]}"

refuse 'a pure module tells its caller, it does not log' \
  '^[[:space:]]*#[[:space:]]*include[[:space:]]*"base/log\.h"' "${pure[@]}"

# What a run wants, and what a policy decides, is said without a screen: src/driver is between.
thinkers=()
for module in agent policy run; do
  [[ -d src/$module ]] && thinkers+=("src/$module")
done
refuse 'neither a run nor a policy knows screens, keystrokes or rules of detection' \
  '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(term|detect|driver|adapters)/' "${thinkers[@]}"

# What a module declares: a pure one depends on pure ones only.
for folder in "${pure[@]}"; do
  [[ -f $folder/CMakeLists.txt ]] || continue
  deps=$(tr '\n' ' ' <"$folder/CMakeLists.txt" | sed -n 's/.*[[:space:]]DEPS \([a-z[:space:]]*\).*/\1/p')
  for dep in $deps; do
    [[ " base ${pure_modules[*]} " == *" $dep "* ]] && continue
    report "a pure module cannot depend on $dep" <<<"$folder/CMakeLists.txt:1:"
  done
done

((violations == 0))
