#!/usr/bin/env bash
# The main job on real input, on every backend: runs the services, imports the ISO code lists of
# Debian's iso-codes, asks five questions, exports, and shows that four stores gave the same bytes.
# Standard output is the same at every run; sizes and times go to standard error.
#
# usage: demo.sh path/to/holdfast
set -euo pipefail
export LC_ALL=C
unset HOLDFAST_STORAGE
here=$(cd "$(dirname "$0")" && pwd)
holdfast=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
codes=/usr/share/iso-codes/json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() { printf '\n== %s\n' "$*"; }
now() { date +%s%N; }

# One page of languages; leaves the token of the next page in the file `token`.
page() {
  "$holdfast" query language --where "scope = 'M' AND name != 'Zhuang'" --sort name --limit 6 \
    --select alpha_3,name "$@" 2>messages
  sed -n 's/^next: //p' messages >token
}

answers() {
  say "services"
  "$holdfast" demo all
  say "import"
  "$holdfast" schema apply "$here/demo-schema.json"
  "$holdfast" import "$codes/iso_3166-1.json" --into country
  "$holdfast" import "$codes/iso_3166-2.json" --into subdivision
  "$holdfast" import "$codes/iso_639-3.json" --into language
  "$holdfast" count country
  "$holdfast" count subdivision
  "$holdfast" count language
  say "1. provinces whose name holds an ü, by name, the first ten"
  "$holdfast" query subdivision --where "type = 'Province' AND name CONTAINS 'ü'" --sort name --limit 10
  say "2. languages whose name begins with Old"
  "$holdfast" query language --where "name STARTS WITH 'Old '" --sort name --select alpha_3,name,type
  say "3. subdivisions by type"
  "$holdfast" aggregate subdivision --count --group-by type
  say "4. a walk over the macrolanguages, page by page, while others write"
  page
  "$holdfast" insert language '{"alpha_3": "qaa", "name": "Aaaa, behind the walk", "scope": "M", "type": "L"}'
  "$holdfast" insert language '{"alpha_3": "qab", "name": "Bzz, before the walk", "scope": "M", "type": "L"}'
  page --after "$(cat token)"
  "$holdfast" delete language est fas
  page --after "$(cat token)"
  say "5. a country by its unique name"
  "$holdfast" query country --where "name = 'Côte d''Ivoire'" --format jsonl
  "$holdfast" query subdivision --where "parent = 'GB-ENG' OR parent = 'ENG'" --sort name --limit 3 --format csv
}

printf '%-8s %10s %12s %14s\n' backend seconds "store bytes" "answer bytes" >&2
for backend in sqlite lmdb json plist; do
  mkdir "$backend"
  export HOLDFAST_STORAGE="$backend:$work/$backend/store"
  start=$(now)
  (answers) >"$backend.answers" 2>"$backend.messages" &
  wait $! || { cat "$backend.messages" >&2; exit 1; }
  for collection in country subdivision language; do
    "$holdfast" export "$collection" --format jsonl -o "$backend.$collection" 2>/dev/null
  done
  cat "$backend".{country,subdivision,language} >"$backend.export"
  end=$(now)
  printf '%-8s %10s %12s %14s\n' "$backend" \
    "$(awk "BEGIN { printf \"%.2f\", ($end - $start) / 1e9 }")" \
    "$(du -sb "$backend" | cut -f1)" "$(stat -c %s "$backend.answers")" >&2
done

cat sqlite.answers
say "the same on every backend"
for backend in sqlite lmdb json plist; do
  cmp "sqlite.answers" "$backend.answers"
  cmp "sqlite.export" "$backend.export"
  printf '%-8s answers %s  exports %s\n' "$backend" \
    "$(sha256sum <"$backend.answers" | cut -c1-16)" "$(sha256sum <"$backend.export" | cut -c1-16)"
done
echo "four stores, byte-identical answers and exports"
