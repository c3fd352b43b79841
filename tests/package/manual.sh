#!/usr/bin/env bash
# manual.sh ORCH SOURCE: docs/cli.md is what the commands of ORCH say of themselves, and each command and option
# that a page or a help text calls is one of them. Where man is there, it opens each manual page without
# a warning.
set -euo pipefail
orch=${1:?ORCH} source=${2:?SOURCE}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

if ! "$orch" config --schema | diff -u "$source/docs/config.schema.json" - >"$folder/difference"; then
  echo "FAILED: docs/config.schema.json is not what orch says; script/pages writes it anew:"
  cat "$folder/difference"
  exit 1
fi
if ! "$orch" agents --schema | diff -u "$source/docs/schemas/manifest.schema.json" - >"$folder/difference"; then
  echo "FAILED: docs/schemas/manifest.schema.json is not what orch reads; script/pages writes it anew:"
  head -n 40 "$folder/difference"
  failed=1
fi
"$source/tests/schemas/manifest_page.py" || failed=1
if ! "$orch" internal manual --markdown | diff -u "$source/docs/cli.md" - >"$folder/difference"; then
  echo "FAILED: docs/cli.md is not what the commands say; script/pages writes it anew:"
  head -n 40 "$folder/difference"
  failed=1
fi

"$source/tests/package/documented.py" "$source" "$orch" || failed=1

"$orch" internal manual "$folder/man1"
pages=("$folder"/man1/*.1)
if ((${#pages[@]} < 30)); then
  echo "FAILED: only ${#pages[@]} manual pages"
  failed=1
fi
if command -v man >/dev/null; then
  for page in "${pages[@]}"; do
    said=$(man -l --warnings -E UTF-8 "$page" 2>&1 >"$folder/shown")
    if [[ -n $said ]] || ! grep -q '^SYNOPSIS' "$folder/shown"; then
      echo "FAILED: man -l $(basename "$page"): $said"
      failed=1
    fi
  done
else
  echo "skipped: no man to open the manual pages"
fi

for wrong in "$folder/man1 again" '' /dev/null/folder; do
  read -ra words <<<"$wrong"
  if "$orch" internal manual ${words[@]+"${words[@]}"} >/dev/null 2>"$folder/error" || (($(wc -l <"$folder/error") != 1)); then
    echo "FAILED: orch internal manual $wrong is not refused in one line"
    failed=1
  fi
done
exit "$failed"
