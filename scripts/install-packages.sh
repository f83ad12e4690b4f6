#!/usr/bin/env bash
# Installs the Debian packages named as arguments that are missing, and says so.
# On macOS the libraries come from Homebrew: brew install sqlite lmdb pkg-config.
set -euo pipefail
if [ "$(uname -s)" = Darwin ]; then
  for library in sqlite3 lmdb; do
    pkg-config --exists "$library" || {
      echo "missing $library: run 'brew install sqlite lmdb pkg-config'" >&2
      exit 1
    }
  done
  exit 0
fi
missing=()
for package in "$@"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing Debian packages: ${missing[*]}" >&2
root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "cannot install ${missing[*]}: run this as root, or install sudo" >&2
    exit 1
  }
  root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${root[@]}" apt-get update -qq >&2
"${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
