#!/usr/bin/env bash
# needs.sh SOURCE: packaging/check-needs refuses whatever a machine with glibc 2.28 does not have.
set -euo pipefail
source=${1:?SOURCE}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0
cc() { "$(command -v gcc || command -v clang)" "$@"; }

# expect WHAT CODE WORDS
expect() {
  local code=0
  "$source/packaging/check-needs" ./program >said 2>&1 || code=$?
  if [[ $code == "$2" ]] && grep -qF -- "$3" said; then
    echo "ok: $1"
  else
    echo "FAILED: $1: exit $code: $(cat said)"
    failures=$((failures + 1))
  fi
}

# A library in glibc's place, which has any version that a test wants.
cat >versions <<'END'
GLIBC_2.28 { old; };
GLIBC_2.29 { new; } GLIBC_2.28;
GLIBC_2.100 { newest; } GLIBC_2.29;
GLIBC_ABI_DT_RELR { relr; };
END
echo 'void old(void) {} void new(void) {} void newest(void) {} void relr(void) {}' >libc.c
cc -shared -o libc.so.6 -Wl,-soname,libc.so.6 -Wl,--version-script=versions libc.c
# program FUNCTION [WORD...]: a program that calls it.
program() {
  echo "void $1(void); void _start(void) { $1(); }" >program.c
  cc -fPIE -c program.c
  cc -nostdlib -pie -o program program.o ./libc.so.6 "${@:2}"
}
program old
expect "2.28 is right" 0 GLIBC_2.28
program new
expect "2.29 is more" 1 GLIBC_2.29
program newest
expect "2.100 is more than 2.28" 1 GLIBC_2.100
program relr
expect "so are packed relocations" 1 GLIBC_ABI_DT_RELR
cc -shared -nostdlib -o libother.so -Wl,-soname,libother.so.1 -x c - <<<'void other(void) {}'
program old -Wl,--no-as-needed ./libother.so
expect "so is another library" 1 libother.so.1
cc -nostdlib -static-pie -fPIE -o program -x c - <<<'void _start(void) {}'
expect "a static program is right" 0 static
cc -nostdlib -static -no-pie -o program -x c - <<<'void _start(void) {}'
expect "one at a fixed address is not" 1 position-independent
echo 'echo' >program
expect "a script is not a program" 1 ''

# What links an old glibc makes a difference: the same words without it.
cc -o program -x c - <<<'int main(void) { return 0; }'
if readelf -VW program | grep -q 'GLIBC_2\.3[4-9]'; then
  expect "an ordinary program of this machine asks for more" 1 GLIBC_2.3
else
  echo "skipped: this machine's own glibc is old"
fi
exit $((failures > 0))
