#!/usr/bin/env bash
# release.sh CMAKE SOURCE BUILD: packaging/install.sh installs a release that it downloads over loopback, updates it,
# removes it without a trace, and refuses what it cannot install without changing anything.
# shellcheck disable=SC2016,SC2317  # expect calls what is defined here, and other shells expand
set -euo pipefail
cmake=${1:?CMAKE} source=${2:?SOURCE} build=${3:?BUILD}
script=$source/packaging/install.sh
folder=$(mktemp -d)
server=''
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
failures=0


# expect WHAT COMMAND...: COMMAND succeeds.
expect() {
  if "${@:2}"; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    failures=$((failures + 1))
  fi
}

# --- A release, of the program that was just built ---------------------------------------------------------------

releases=$folder/releases
name=orch-0.1.0-linux-$(uname -m)
"$cmake" --install "$build" --prefix "$folder/tree/$name" --strip >/dev/null
mkdir -p "$releases"
cp "$script" "$releases"
# make_release TARBALL: of what is in the tree now.
make_release() {
  tar -C "$folder/tree" -czf "$releases/$1" "$name"
  (cd "$releases" && sha256sum ./*.tar.gz | sed 's,\./,,' >SHA256SUMS)
}
make_release "$name.tar.gz"

python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$releases" >"$folder/server" 2>&1 &
server=$!
for _ in $(seq 100); do
  port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$folder/server")
  [[ -z $port ]] || break
  sleep 0.1
done
url=http://127.0.0.1:$port

# --- Helpers -----------------------------------------------------------------------------------------------------

prefix=$folder/home/.local
mkdir -p "$folder/home"
# run ARGUMENT...: the script, as a user without root would run it; its exit code is in $code, what it says in $said.
run() {
  code=0
  said=$(env HOME="$folder/home" PATH="${stubs:+$stubs:}$PATH" ORCH_RELEASES="${releases_url-$url}" \
    sh "$script" --prefix "$prefix" "$@" 2>&1) || code=$?
}
# ends CODE TEXT: so did the last run.
ends() { [[ $code == "$1" && $said == *"$2"* ]] || { echo "exit $code: $said"; return 1; }; }
state_of() { find "$folder/home" -printf '%P %s %T@\n' | sort; }
# unchanged COMMAND...
unchanged() {
  local before
  before=$(state_of)
  "$@"
  [[ $(state_of) == "$before" ]] || { diff <(echo "$before") <(state_of); return 1; }
}
# stub NAME OUTPUT: a program that says so, for the next run.
stub() {
  stubs=$folder/stubs
  mkdir -p "$stubs"
  printf '#!/bin/sh\necho "%s"\n' "$2" >"$stubs/$1"
  chmod +x "$stubs/$1"
}
# stub_processor NAME: uname -m says so.
stub_processor() {
  stub uname ''
  printf '#!/bin/sh\ncase $1 in -m) echo %s ;; *) exec %s "$@" ;; esac\n' "$1" "$(command -v uname)" >"$stubs/uname"
}
no_stubs() { rm -rf "$folder/stubs" && stubs=''; }
stubs=''

# --- Trying it ---------------------------------------------------------------------------------------------------

unchanged run --uninstall || failures=$((failures + 1))
expect "nothing to uninstall is an error that names the folder" ends 1 "nothing that this script installed is in $prefix"
run
expect "it installs" ends 0 "is in $prefix/bin"
expect "it says what to add to PATH" ends 0 "export PATH=\"$prefix/bin:\$PATH\""
expect "the program starts" "$prefix/bin/orch" --version
expect "nothing is left over" test -z "$(find "$prefix" -name '.orch-new*')"

echo mine >"$prefix/share/mine"
echo old >"$folder/tree/$name/share/doc/orch/gone-in-the-next"
make_release "$name.tar.gz"
run
expect "a file of this release is there" test -e "$prefix/share/doc/orch/gone-in-the-next"
rm "$folder/tree/$name/share/doc/orch/gone-in-the-next"
make_release "$name.tar.gz"
run
expect "it updates" ends 0 "is in $prefix/bin"
expect "what the next release does not have is removed" test ! -e "$prefix/share/doc/orch/gone-in-the-next"

printf x >>"$releases/$name.tar.gz"
expect "a damaged tarball changes nothing" unchanged run
expect "... and is named" ends 1 "$name.tar.gz is damaged"
make_release "$name.tar.gz"
stub getconf "glibc 2.27"
expect "an old glibc without a static program changes nothing" unchanged run
expect "... and is named" ends 2 "glibc older than 2.28"
mv "$releases/$name.tar.gz" "$releases/$name-musl.tar.gz"
mv "$folder/tree/$name" "$folder/tree/$name-musl"
name=$name-musl
make_release "$name.tar.gz"
run
expect "an old glibc gets the static program" ends 0 "is in $prefix/bin"
printf '#!/bin/sh\nexit 1\n' >"$folder/stubs/getconf"
run
expect "so does a system without glibc" ends 0 "is in $prefix/bin"
no_stubs
other=aarch64
[[ $(uname -m) != aarch64 ]] || other=x86_64
stub_processor "$other"
expect "another processor changes nothing where its program is missing" unchanged run
expect "... and is named" ends 2 "nothing for linux-$other"
mv "$folder/tree/$name" "$folder/tree/orch-0.1.0-linux-$other"
name=orch-0.1.0-linux-$other
echo other >"$folder/tree/$name/share/doc/orch/other"
make_release "$name.tar.gz"
names=(aarch64 arm64)
[[ $other == aarch64 ]] || names=(x86_64 amd64)
for processor in "${names[@]}"; do
  rm -f "$prefix/share/doc/orch/other"
  stub_processor "$processor"
  run
  expect "$processor gets the program for $other" ends 0 "is in $prefix/bin"
  expect "... and no other" test -e "$prefix/share/doc/orch/other"
done
no_stubs
stub uname Darwin
expect "macOS changes nothing" unchanged run
expect "... and is named" ends 2 "macOS is not supported"
no_stubs
expect "a server that is not there changes nothing" unchanged env true
releases_url=http://127.0.0.1:1 run
expect "... and is named" ends 1 "cannot download SHA256SUMS from http://127.0.0.1:1"
releases_url='' run
expect "no release is an error with the remedy" ends 2 "ORCH_RELEASES=URL"
run --prefix
expect "an option without its value is an error" ends 2 "--prefix takes a folder"

cut_scripts() { # a download that broke off does nothing
  local bytes
  for bytes in $(seq 200 400 "$(($(stat -c %s "$script") - 12))"); do
    head -c "$bytes" "$script" | env HOME="$folder/home" ORCH_RELEASES="$url" sh >/dev/null 2>&1 || true
  done
}
expect "the script without its end does nothing, wherever it was cut" unchanged cut_scripts

run --uninstall
expect "it uninstalls" ends 0 "removed from $prefix"
expect "nothing is left but what others put there" test "$(find "$prefix" ! -type d)" = "$prefix/share/mine"
expect "nor are orch's own folders" test ! -e "$prefix/share/doc/orch" -a ! -e "$prefix/share/orch"

exit $((failures > 0))
