#!/usr/bin/env bash
# Installs tmux where it is missing, so that the tests of the screen meet a real one. Safe to run again.
set -euo pipefail
if ! command -v tmux >/dev/null; then
  as_root=()
  if [ "$(id -u)" != 0 ]; then as_root=(sudo -n); fi
  if command -v apt-get >/dev/null; then
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq tmux
  elif command -v dnf >/dev/null; then
    "${as_root[@]}" dnf install -y -q tmux
  elif command -v apk >/dev/null; then
    "${as_root[@]}" apk add --quiet tmux
  else
    echo "no known package manager was found: install tmux manually" >&2
    exit 1
  fi
fi
tmux -V
