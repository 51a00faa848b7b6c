#!/usr/bin/env bash
# Installs bubblewrap, and strace to watch what runs in it, where they are missing, so that the tests of the sandbox and
# of the reading box meet real ones, and shows that it works. Safe to run again.
set -euo pipefail
missing=()
command -v bwrap >/dev/null || missing+=(bubblewrap)
command -v strace >/dev/null || missing+=(strace)
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" != 0 ]; then as_root=(sudo -n); fi
  if command -v apt-get >/dev/null; then
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}"
  elif command -v dnf >/dev/null; then
    "${as_root[@]}" dnf install -y -q "${missing[@]}"
  elif command -v apk >/dev/null; then
    "${as_root[@]}" apk add --quiet "${missing[@]}"
  else
    echo "no known package manager was found: install ${missing[*]} manually" >&2
    exit 1
  fi
fi
bwrap --version
bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / true
