#!/usr/bin/env bash
# npm.sh CMAKE SOURCE BUILD: the package for npm installs the program and its pages without a script and without the
# network, in a project and for the user, and goes without a trace. 77 where there is no npm.
# shellcheck disable=SC2016,SC2317  # expect calls what is defined here, and shells with a text to expand
set -euo pipefail
cmake=${1:?CMAKE} source=${2:?SOURCE} build=${3:?BUILD}
if ! command -v npm >/dev/null; then
  echo "skipped: npm is not installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
# expect WHAT COMMAND...: COMMAND succeeds.
expect() {
  if "${@:2}" >"$folder/said" 2>&1; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    tail -20 "$folder/said"
    failures=$((failures + 1))
  fi
}
refuses() { ! "$@"; }

version=$("$build/bin/orch" --version | cut -d ' ' -f 2)
name=orch-$version-linux-$(uname -m)
"$cmake" --install "$build" --prefix "$folder/tree/$name" --strip >/dev/null
tar -C "$folder/tree" -czf "$folder/$name.tar.gz" "$name"
package=$("$source/packaging/npm" "$folder/$name.tar.gz" "$folder")
expect "it is the same when it is made again" sh -c '
  first=$(sha256sum <"$1") && "$2/packaging/npm" "$3" "$4" && [ "$first" = "$(sha256sum <"$1")" ]' - \
  "$package" "$source" "$folder/$name.tar.gz" "$folder"

export HOME=$folder/home npm_config_offline=true npm_config_audit=false npm_config_fund=false \
  npm_config_update_notifier=false npm_config_userconfig=$folder/npmrc
mkdir -p "$HOME" "$folder/project"
cd "$folder/project"
expect "npm installs it in a project" npm install "$package"
expect "... where npx finds it" sh -c '[ "$(npx --no-install orch --version)" = "orch $1" ]' - "$version"
expect "... it has no script that npm would run" refuses grep -q '"scripts"' node_modules/orch/package.json
expect "npm uninstalls it" npm uninstall orch
expect "... and nothing of it is left" refuses test -e node_modules/orch -o -e node_modules/.bin/orch

prefix=$folder/prefix
expect "npm installs it for the user" npm install --global --prefix "$prefix" "$package"
expect "... it starts" "$prefix/bin/orch" --version
expect "... its manual pages are where man looks" test -e "$prefix/share/man/man1/orch-run.1"
expect "npm uninstalls that" npm uninstall --global --prefix "$prefix" orch
expect "... and nothing of it is left" test -z "$(find "$prefix" ! -type d)"

mv "$folder/$name.tar.gz" "$folder/other.tar.gz"
expect "another name is refused" refuses "$source/packaging/npm" "$folder/other.tar.gz" "$folder"
other=arm64
[[ $(uname -m) == x86_64 ]] || other=x64
mkdir "$folder/foreign"
tar -C "$folder/foreign" -xzf "$package"
sed -i "s/\"cpu\": .*/\"cpu\": [\"$other\"],/" "$folder/foreign/package/package.json"
tar -C "$folder/foreign" -czf "$folder/foreign.tgz" package
expect "the package of another processor is refused" refuses npm install "$folder/foreign.tgz"
exit $((failures > 0))
