#!/usr/bin/env bash
# Makes a Python environment in the folder $1 with the modules named after it, from PyPI.
set -euo pipefail
folder=$1
shift
if [ -x "$folder/bin/python" ] && "$folder/bin/python" -c "import $(IFS=,; echo "$*")" 2>/dev/null; then
  exit 0
fi
echo "installing Python modules in $folder: $*" >&2
/usr/bin/python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2
