#!/usr/bin/env bash
# without_tests.sh CMAKE SOURCE: with -DORCH_TESTS=OFF -DORCH_BENCH=OFF nothing that only tests use is
# looked for, so that orch is built where it is not installed; and nothing but orch is built.
set -euo pipefail
cmake=${1:?CMAKE} source=${2:?SOURCE}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" -G Ninja -S "$source" -B "$folder" -DORCH_TESTS=OFF -DORCH_BENCH=OFF \
  --log-level=WARNING >/dev/null
if grep -iE '^[^/]*(catch2|vterm)[^ ]*=' "$folder/CMakeCache.txt"; then
  echo "FAILED: looked for what only the tests use"
  exit 1
fi
programs=$(ninja -C "$folder" -t targets all | sed -n 's/: CXX_EXECUTABLE_LINKER.*//p')
echo "builds $programs"
[[ $programs == bin/orch ]]
