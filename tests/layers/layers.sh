#!/usr/bin/env bash
# layers.sh ROOT: refuses what the include paths cannot. Prints every violation as file:line: reason, and
# exits 1 if there is one. The layers themselves are drawn in HACKING.md.
set -euo pipefail
cd "${1:?usage: layers.sh ROOT}"

pure_modules=(event agent term mask report attach options detect adapters policy driver run wire yaml task jsonrpc mcp acp crew exchange tape)
violations=0

# folder_of MODULE: where it is, in its wing or next to the wings; "" if nowhere.
folder_of() { find src -mindepth 1 -maxdepth 2 -type d -name "$1" -print -quit; }

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

# sole HEADER-REGEX MODULE: only MODULE may include it ('-': none).
sole() {
  local owner others=()
  owner=$(folder_of "$2")
  mapfile -t others < <(find src \( -name '*.h' -o -name '*.cc' -o -name '*.in' \) ! -path "${owner:--}/*")
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
  folder=$(folder_of "$module")
  [[ -n $folder ]] && pure+=("$folder")
done
io_headers='unistd\.h|fcntl\.h|poll\.h|termios\.h|pty\.h|sys/|fstream|iostream|filesystem|thread|mutex|shared_mutex|future|condition_variable|semaphore'
refuse 'a pure module does no I/O and has no threads' \
  "^[[:space:]]*#[[:space:]]*include[[:space:]]*<($io_headers)" "${pure[@]}"
refuse 'a pure module is told the time' \
  '(_clock::now|[^_[:alnum:]](clock_)?gettime(ofday)?[[:space:]]*\(|std::time[[:space:]]*\()' "${pure[@]}"
refuse 'a pure module is told its environment' '(^|[^_[:alnum:]])(secure_)?getenv[[:space:]]*\(' "${pure[@]}"

# The shape of what others wrote is looked at before it is parsed (base/json.h). A hook's JSON is neither
# copied nor written.
mapfile -t parsers < <(find src -name '*.cc' ! -path 'src/base/*' ! -path src/drive/driver/json_way.cc \
  ! -path src/adapters/hook.cc)
refuse 'JSON is parsed by base::parse_json() or driver::parse_agent_json()' '[Jj]son::parse\(' "${parsers[@]}"

# What cannot be read is not missing: state is read by store/state_file.h, whose answers are three (store/found.h).
# Other files there look at what is no state: a temporary folder, a work directory, a file that a person has named.
mapfile -t readers < <(find src/files/store src/control/client src/control/host src/work/task_run src/frontend/duties/guardian.cc src/frontend/duties/snapshot.cc \
  src/frontend/setup/checkup_records.cc src/cli/gc_command.cc src/cli/undo_command.cc src/cli/kept_presents.cc \
  src/cli/kill_command.cc src/cli/show_command.cc src/cli/wait_command.cc -name '*.cc' \
  ! -name state_file.cc ! -name folder_at.cc ! -name temporary_folder.cc ! -name repo_facts.cc 2>/dev/null)
refuse 'state is read by store/state_file.h: present, absent or unknown' \
  '(fs|filesystem)::(exists|is_empty|last_write_time|symlink_status|status|directory_iterator|directory_entry)|::access\(|::opendir\(|ifstream' \
  "${readers[@]}"
mapfile -t readers < <(find src/files/store src/control/client src/control/host -name '*.cc' \
  ! -name file_io.cc ! -name own_file.cc ! -name repository_file.cc ! -name cast_reader.cc 2>/dev/null)
refuse 'state is read by read_state(), which knows what is missing' \
  '(^|[^_[:alnum:]])(read_file|read_regular_file)\(' "${readers[@]}"

refuse 'a pure module tells its caller, it does not log' \
  '^[[:space:]]*#[[:space:]]*include[[:space:]]*"base/log\.h"' "${pure[@]}"

# What a run wants, and what a policy decides, is said without a screen: src/drive/driver is between.
thinkers=()
for module in agent policy run; do
  folder=$(folder_of "$module")
  [[ -n $folder ]] && thinkers+=("$folder")
done
refuse 'neither a run nor a policy knows screens, keystrokes or rules of detection' \
  '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(term|detect|driver|adapters)/' "${thinkers[@]}"

deps_of() {  # of the module in a folder
  tr '\n' ' ' <"$1/CMakeLists.txt" | sed -n 's/.*[[:space:]]DEPS \([a-z_[:space:]]*\).*/\1/p'
}

# A pure module depends on pure ones only.
for folder in "${pure[@]}"; do
  [[ -f $folder/CMakeLists.txt ]] || continue
  for dep in $(deps_of "$folder"); do
    [[ " base ${pure_modules[*]} " == *" $dep "* ]] && continue
    report "a pure module cannot depend on $dep" <<<"$folder/CMakeLists.txt:1:"
  done
done

# A wing knows itself and the wings that src/CMakeLists.txt names before it.
declare -A place_of=()
place=0 wing=
for module in $(tr '\n' ' ' <src/CMakeLists.txt | sed -n 's/.*foreach(module \([^)]*\)).*/\1/p'); do
  [[ ${module%%/*} == "$wing" ]] || place=$((place + 1))
  wing=${module%%/*}
  [[ -z ${place_of[$wing]-} || ${place_of[$wing]} == "$place" ]] ||
    report "the modules of $wing stand apart" <<<"src/CMakeLists.txt:1:"
  place_of[$wing]=$place
  place_of[${module##*/}]=$place
done
for module in "${!place_of[@]}"; do
  folder=$(folder_of "$module")
  [[ -f $folder/CMakeLists.txt ]] || continue
  for dep in $(deps_of "$folder"); do
    ((${place_of[$dep]-0} <= place_of[$module])) && continue
    report "$module cannot depend on $dep, which is in a later wing" <<<"$folder/CMakeLists.txt:1:"
  done
done

((violations == 0))
