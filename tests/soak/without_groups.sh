#!/usr/bin/env bash
# without_groups.sh COMMAND...: runs it where no control group can be made, as in most containers. 77
# where the groups cannot be hidden.
set -euo pipefail
namespace=(unshare --mount)
"${namespace[@]}" true 2>/dev/null || namespace+=(--map-root-user)  # who is not root becomes it inside
hide='mount -t tmpfs none /sys/fs/cgroup'
if ! "${namespace[@]}" sh -c "$hide" 2>/dev/null; then
  echo "skipped: ${namespace[*]} with a mount is not permitted here"
  exit 77
fi
exec "${namespace[@]}" sh -c "$hide"' && exec "$@"' sh "$@"
