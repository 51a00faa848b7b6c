#!/usr/bin/env bash
# Installs bubblewrap where it is missing, so that the tests of the sandbox meet a real one, and shows that it works.
# Safe to run again.
set -euo pipefail
if ! command -v bwrap >/dev/null; then
  as_root=()
  if [ "$(id -u)" != 0 ]; then as_root=(sudo -n); fi
  if command -v apt-get >/dev/null; then
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap
  elif command -v dnf >/dev/null; then
    "${as_root[@]}" dnf install -y -q bubblewrap
  elif command -v apk >/dev/null; then
    "${as_root[@]}" apk add --quiet bubblewrap
  else
    echo "bubblewrap is missing and no known package manager was found: install bubblewrap manually" >&2
    exit 1
  fi
fi
bwrap --version
bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / true
