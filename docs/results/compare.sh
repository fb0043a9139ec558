#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/results/compare.sh NAME NAME [...]: lays recorded machines side by side, chapter by chapter, in
# the terminal and, with gnuplot, on one sheet, docs/results/compared.svg. What a machine did not
# record stays "-".
#
# docs/results/compare.sh --html A B: the same rows of two records on a page, build/compared.html, with
# both numbers and their ratio (needs python3).
# docs/results/compare.sh --tsv NAME [...]: the same rows for another program, with tabs between the title,
# the names of the label's words, the label and the numbers; "!" says that a row was disturbed.
set -eu
cd "$(dirname "$0")"
form=text
case ${1-} in
--html | --tsv)
    form=${1#--}
    shift
    ;;
esac
if { [ "$form" = text ] && [ $# -lt 2 ]; } || { [ "$form" = html ] && [ $# -ne 2 ]; } || [ $# -lt 1 ]; then
    echo "usage: docs/results/compare.sh [--html] NAME NAME [...] (--html: two); recorded:" */ >&2
    exit 2
fi
for name in "$@"; do
    if [ ! -e "$name/environment.txt" ]; then
        echo "compare.sh: no record called '$name'; recorded:" */ >&2
        exit 2
    fi
done

# table TITLE FILE KEYS VALUE MACHINE...: a line for each combination of the KEYS columns (of all
# machines), a column for each machine.
table() {
    title=$1
    file=$2
    keys=$3
    value=$4
    shift 4
    for machine in "$@"; do
        [ ! -e "$machine/$file" ] || awk -F, -v machine="$machine" -v keys="$keys" -v value="$value" -v form="$form" '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n = split(keys, key, " "); next }
            !(value in column) { exit } # recorded before there was one
            { label = ""
              for (i = 1; i <= n; i++) label = label (i > 1 ? " " : "") $column[key[i]]
              marked = form != "text" && ("disturbed" in column) && $column["disturbed"] == 1
              print machine "," label "," $column[value] (marked ? "!" : "") }' "$machine/$file"
    done | sort -s -t, -k2,2n | awk -F, -v title="$title" -v machines="$*" -v form="$form" -v keys="$keys" '
        { if (!($2 in seen)) { seen[$2] = 1; order[++lines] = $2 } cell[$2, $1] = $3 }
        END { if (lines == 0) exit
              n = split(machines, machine, " ")
              if (form != "text") {
                  for (l = 1; l <= lines; l++) {
                      printf "%s\t%s\t%s", title, keys, order[l]
                      for (i = 1; i <= n; i++)
                          printf "\t%s", cell[order[l], machine[i]] == "" ? "-" : cell[order[l], machine[i]]
                      print ""
                  }
                  exit
              }
              printf "\n%s\n%-36s", title, ""
              for (i = 1; i <= n; i++) printf " %18s", machine[i]
              print ""
              for (l = 1; l <= lines; l++) {
                  printf "%-36s", order[l]
                  for (i = 1; i <= n; i++) {
                      v = cell[order[l], machine[i]]
                      printf " %18s", v == "" ? "-" : v
                  }
                  print "" } }'
}

tables() { # NAME...
    table "01 what a call of each clock costs, ns" host_clock.csv clock cost_ns "$@"
    table "02 vector_add by the host's clock and the event's, us" clfinish_sync.csv "method size" median_us "$@"
    table "03 stages of a command, us" opencl_profiling.csv "interval size" median_us "$@"
    table "03 bandwidth of vector_add by size, GB/s" bandwidth.csv size bandwidth_gb_s "$@"
    table "03 START to END less the code, by length, us" known_length.csv length_us extra_us "$@"
    table "03 START to END less the code, less the empty kernel's, us" known_length.csv length_us extra_less_empty_us "$@"
    table "04 each method on each kernel, us" cuda_events.csv "method kernel" median_us "$@"
    table "05 clocks of a block, CUDA" block_clock.csv "blocks threads" clocks_mean "$@"
    table "05 clocks of a work-group, OpenCL" block_clock_opencl.csv "blocks threads" clocks_mean "$@"
    table "06 error of each recipe, CUDA, percent" warmup.csv recipe error_percent "$@"
    table "06 error of each recipe, OpenCL, percent" warmup_opencl.csv recipe error_percent "$@"
}

case $form in
tsv)
    tables "$@"
    exit
    ;;
html)
    cd ../..
    mkdir -p build
    (cd docs/results && tables "$@") | python3 -X utf8 docs/compared.py build/compared.html "$@"
    echo "Written: build/compared.html"
    exit
    ;;
esac

for name in "$@"; do
    printf '%s: ' "$name"
    sed -n 's/^gpu: //p; s/^processor: //p; s/^opencl device 0 *//p' "$name/environment.txt" |
        paste -sd ';' - | sed 's/;/; /g'
done
tables "$@"

if command -v gnuplot >/dev/null; then
    gnuplot -c compare.gp compared.svg "$@"
    echo
    echo "Drawn: docs/results/compared.svg"
fi
