#!/bin/sh
# Installs orch from a release, without root into ~/.local, as root into /usr/local:
#
#   export ORCH_RELEASES=URL; curl -fsSL "$ORCH_RELEASES/install.sh" | sh
#   sh install.sh [--from RELEASE] [--prefix FOLDER]
#   sh install.sh --uninstall [--prefix FOLDER]
#
#   --from RELEASE     the URL or the folder of a release, which holds SHA256SUMS; default: $ORCH_RELEASES
#   --prefix FOLDER    where bin, share and so on are
#   --uninstall        removes what this script installed there, and nothing else
#
# It takes the tarball for this processor and C library, compares its checksum, and says where everything is.
# Run again, it updates. Exit 0: done; 1: something failed, and nothing has changed; 2: it cannot be done here.
set -eu

fail() {
  status=$1
  shift
  echo "orch: $*" >&2
  exit "$status"
}

help() {
  cat <<'END'
sh install.sh [--from RELEASE] [--prefix FOLDER] [--uninstall]
  --from RELEASE     the URL or the folder of a release; default: $ORCH_RELEASES
  --prefix FOLDER    default: /usr/local as root, otherwise ~/.local
  --uninstall        removes what this script installed there, and nothing else
END
}

# fetch NAME FILE: the file of that name in the release.
fetch() {
  case $release in
    /* | ./* | ../*) cp "$release/$1" "$2" ;;
    http://* | https://* | file://*)
      if command -v curl >/dev/null; then
        curl -fsSL --retry 2 -o "$2" "$release/$1"
      elif command -v wget >/dev/null; then
        wget -q -O "$2" "$release/$1"
      else
        fail 2 "needs curl or wget; install one of them"
      fi
      ;;
    *) fail 2 "\"$release\" is neither a URL nor a folder (./folder)" ;;
  esac || fail 1 "cannot download $1 from $release"
}

processor() {
  case $(uname -s) in
    Linux) ;;
    Darwin) fail 2 "macOS is not supported; run orch in a Linux container or machine" ;;
    *) fail 2 "$(uname -s) is not supported; orch runs on Linux" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) echo x86_64 ;;
    aarch64 | arm64) echo aarch64 ;;
    *) fail 2 "there is no release for the processor $(uname -m), only for x86_64 and aarch64" ;;
  esac
}

# "" where glibc is new enough, "-musl" elsewhere: that program is static and runs on any Linux.
c_library() {
  version=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
  case $version in
    2.2[89] | 2.[3-9][0-9] | 2.[1-9][0-9][0-9]) ;;
    *) echo -musl ;;
  esac
}

sum_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  else
    shasum -a 256 "$1"
  fi | cut -d ' ' -f 1
}

# The files that an earlier run installed, one relative path a line.
list_of() { echo "$1/share/orch/installed-files"; }

# Removes from $prefix the files whose names it reads, and the folders that are empty then and orch's own.
remove_files() {
  while IFS= read -r file; do
    case $file in
      '' | /* | *..*) continue ;;
    esac
    rm -f "$prefix/$file"
  done
}

uninstall() {
  list=$(list_of "$prefix")
  [ -f "$list" ] || fail 1 "nothing that this script installed is in $prefix; name the folder with --prefix"
  cp "$list" "$work/list"
  remove_files <"$work/list"
  rm -f "$list"
  sed -n 's,/[^/]*$,,p' "$work/list" | sort -ru | while IFS= read -r folder; do
    case $folder in
      *..* | /*) ;;
      *) (cd "$prefix" && rmdir -p "$folder") 2>/dev/null || true ;;
    esac
  done
  rmdir "$prefix/share/orch" 2>/dev/null || true
  echo "orch: removed from $prefix; the records of runs stay in ~/.local/state/orch"
}

install_release() {
  [ -n "$release" ] || fail 2 "say from where: --from URL, or ORCH_RELEASES=URL in the environment"
  machine=$(processor)
  kind=$(c_library)
  fetch SHA256SUMS "$work/sums"
  name=$(sed -n "s,^[0-9a-f]\{64\}[ *]*\(orch-[0-9][0-9.]*-linux-$machine$kind\.tar\.gz\)\$,\1,p" "$work/sums" | tail -n 1)
  [ -n "$name" ] || fail 2 "this release has nothing for linux-$machine$kind${kind:+ (glibc older than 2.28, or none)}"
  fetch "$name" "$work/$name"
  wanted=$(sed -n "s,^\([0-9a-f]\{64\}\)[ *]*$name\$,\1,p" "$work/sums")
  [ "$(sum_of "$work/$name")" = "$wanted" ] || fail 1 "$name is damaged: its SHA-256 is not that of SHA256SUMS"

  mkdir -p "$prefix" 2>/dev/null || fail 1 "cannot make $prefix; choose another with --prefix"
  # Unpacked beside its place, so that each file takes its place by a rename.
  new=$prefix/.orch-new.$$
  mkdir "$new" 2>/dev/null || fail 1 "cannot write to $prefix; choose another with --prefix"
  tar -C "$new" -xzf "$work/$name" || fail 1 "cannot unpack $name in $prefix"
  top=$new/${name%.tar.gz}
  "$top/bin/orch" --version >/dev/null || fail 1 "$name does not start here; nothing was installed"
  (cd "$top" && find . -type f -o -type l) | sed 's,^\./,,' >"$work/files"
  list=$(list_of "$prefix")
  if [ -f "$list" ]; then grep -vxFf "$work/files" "$list" >"$work/old" || true; fi
  while IFS= read -r file; do
    mkdir -p "$prefix/${file%/*}"
    mv -f "$top/$file" "$prefix/$file"
  done <"$work/files"
  if [ -f "$work/old" ]; then remove_files <"$work/old"; fi
  mkdir -p "$prefix/share/orch"
  cp "$work/files" "$list"
  echo "orch: $("$prefix/bin/orch" --version) is in $prefix/bin, its pages and completions in $prefix/share"
  case :$PATH: in
    *:"$prefix/bin":*) echo "orch: next: orch doctor" ;;
    *) echo "orch: add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

clean_up() { rm -rf "$work" ${new:+"$new"}; }

main() {
  release=${ORCH_RELEASES:-} prefix='' action=install_release
  while [ $# -gt 0 ]; do
    case $1 in
      --from) [ $# -gt 1 ] || fail 2 "--from takes a URL or a folder"; release=$2; shift ;;
      --prefix) [ $# -gt 1 ] || fail 2 "--prefix takes a folder"; prefix=$2; shift ;;
      --uninstall) action=uninstall ;;
      -h | --help) help; exit 0 ;;
      *) fail 2 "\"$1\" is not known; it takes --from, --prefix and --uninstall" ;;
    esac
    shift
  done
  if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?}/.local; fi
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  release=${release%/}
  work=$(mktemp -d) new=''
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
  $action
}

main "$@"
