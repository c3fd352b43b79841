#!/usr/bin/env bash
# install.sh CMAKE SOURCE BUILD shipped|debug: `cmake --install` into a new folder brings a binary that
# works there, its manual pages and completions, and the documents; uninstall takes them away. One that is
# made to be shipped is hardened, small, and does not say where it was built.
set -euo pipefail
cmake=${1:?CMAKE} source=${2:?SOURCE} build=${3:?BUILD} kind=${4:?shipped or debug}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
most_bytes=7400000  # what is optimized for size where speed is no matter; more is something to look at

# expect WHAT COMMAND...: COMMAND succeeds.
expect() {
  if "${@:2}"; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    failures=$((failures + 1))
  fi
}

# holds PATTERN COMMAND...: the command's output has a line that matches.
holds() { "${@:2}" 2>/dev/null | grep -E -- "$1" >/dev/null; }
lacks() { ! holds "$@"; }

DESTDIR=$folder/root "$cmake" --install "$build" --prefix /usr --strip >/dev/null
"$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
orch=$folder/root/usr/bin/orch
expect "--prefix is followed" test -x "$folder/prefix/bin/orch"
for document in README.md LICENSE CHANGELOG.md docs/policy.md docs/events.schema.json; do
  expect "$document is installed" cmp "$source/$document" "$folder/root/usr/share/doc/orch/$document"
done

share=$folder/root/usr/share
expect "the manual pages are installed" test -s "$share/man/man1/orch-crew-up.1"
for script in bash-completion/completions/orch "zsh/*/_orch" fish/vendor_completions.d/orch.fish; do
  # shellcheck disable=SC2086  # one is a pattern
  expect "$script is installed" holds "command orch internal complete" cat "$share"/$script
done

# The last installation is the one that is listed. A file beside orch's own is not taken away.
echo mine >"$folder/prefix/share/doc/orch/docs/mine"
"$cmake" -D "BUILD=$build" -P "$source/cmake/uninstall.cmake" >/dev/null
expect "uninstall leaves nothing but what others put there" test "$(find "$folder/prefix" ! -type d)" = \
  "$folder/prefix/share/doc/orch/docs/mine"
expect "uninstall removes the folders that are orch's own" test ! -e "$folder/prefix/share/doc/orch/docs/ci"
expect "uninstall keeps to the last prefix" test -x "$orch"

orch_says() {
  (cd "$folder" && env -i "$orch" run demo --state-dir "$folder/state" 2>&1)
}
expect "the installed binary drives the demo agent, without an environment" \
  holds '^orch: orch-demo: complete' orch_says

if [[ $kind == shipped ]]; then
  size=$(stat -c %s "$orch")
  expect "its size, $((size / 1000)) kB, is at most $((most_bytes / 1000)) kB" test "$size" -le "$most_bytes"
  expect "position-independent" holds '^ *Type: +DYN' readelf -hW "$orch"
  expect "read-only relocations" holds ' GNU_RELRO ' readelf -lW "$orch"
  expect "bound at the start" holds 'FLAGS_1.* NOW' readelf -dW "$orch"
  expect "no executable stack" holds 'GNU_STACK .* RW ' readelf -lW "$orch"
  if holds INTERP readelf -lW "$orch"; then  # a static one names no functions
    expect "stack protector" holds '__stack_chk_fail' readelf --dyn-syms -W "$orch"
    expect "fortified calls" holds '__[a-z]+_chk(@|$)' readelf --dyn-syms -W "$orch"
  fi
  expect "says nothing of its sources" lacks . grep -aoF "$source/" "$orch"
  expect "says nothing of its build folder" lacks . grep -aoF "$build" "$orch"
fi
exit $((failures > 0))
