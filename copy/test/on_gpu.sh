#!/bin/bash
# SPDX-License-Identifier: MIT
#
# on_gpu.sh FOLDER [coverage|rest] [NVCC]: in copy/, on an NVIDIA GPU that nobody else uses, seven minutes and four. Writes
# into FOLDER what docs/compare.md and docs/recipe.md quote, as the programs print it: coverage.txt; the rest is
# recipe.txt, compare.txt and attacks.txt.
out=$(mkdir -p "$1" && cd "$1" && pwd)
what=${2:-all}
nvcc=${3:-nvcc -O2 -arch=native}
shared="-shared -Xcompiler -fPIC,-fno-gnu-unique"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck disable=SC2086 # options
side() { $nvcc $shared -DSIDE="\"$2\"" "${@:3}" test/parts.cu -o "$scratch/$1.so"; }
$nvcc recipe.cu -o "$scratch/recipe" &
$nvcc -DN="${CACHED:-(4 << 20)}" recipe.cu -o "$scratch/recipe_in_l2" &
$nvcc -DTIMED='"test/parts.cu"' recipe.cu -o "$scratch/recipe_parts" &
$nvcc compare.cu -o "$scratch/compare" -ldl &
side A A &
side B B &
side O1 A -Xptxas -O1 &
side O3 B -Xptxas -O3 &
wait
cd "$scratch" || exit 1
run() { # what is typed, what it prints, its code and seconds
    local since code
    since=$(date +%s%N)
    echo "\$ $1"
    timeout 100 bash -c "$1" 2>&1
    code=$?
    printf '# exit %d\n# seconds %.1f\n' $code "$((($(date +%s%N) - since) / 100000000))e-1"
}
cover() { python3 "$OLDPWD/test/coverage.py" ./compare ./A.so ./B.so >"$out/coverage.txt" 2>&1; }
[ "$what" = rest ] || cover
[ "$what" != coverage ] || exit 0
{
    run './recipe'
    run './recipe --cold'
    run './recipe_in_l2'
    run './recipe_in_l2 --cold'
} >"$out/recipe.txt"
for part in nothing nothing_later wrong_element half other_stream default_stream no_join stale sleeps waits allocates \
    fails fails_unseen prepared same_input later exits:3; do
    run "A=plain B=$part ./compare A.so B.so --seconds 1"
    run "PART=$part ./recipe_parts"
done >"$out/attacks.txt"
for part in two_kernels fork_and_join atomic_sum in_a_template graph; do
    run "A=$part B=$part ./compare A.so B.so --seconds 0.5 --processes 6"
    run "PART=$part ./recipe_parts"
done >>"$out/attacks.txt"
run 'PART=slower_later:300 ./recipe_parts' >>"$out/attacks.txt"
{
    run 'A=sum:33000 B=sum:33000 ./compare A.so B.so --gate 1'
    run 'A=rows:6000 B=rows:6000 ./compare A.so B.so --gate 1'
    run 'A=copy:50000 B=copy:50125 ./compare A.so B.so --gate 1'
    run 'A=sum:33000 B=sum:33165 ./compare A.so B.so --gate 1'
    run 'A=rows:6000 B=rows:6120 ./compare A.so B.so --gate 1'
    run 'A=rows:6000 B=rows:60000 ./compare A.so B.so --gate 1'
    run 'A=rows:6000 B=rows:6000 ./compare O1.so O3.so --gate 1'
    run 'A=sum:5000 B=sum:5100 ./compare A.so B.so --gate 1'
    run 'A=sum:5000 B=sum:5100 ./compare A.so B.so --gate 1 --cold'
    run 'A=sum_rotated:5000 B=sum_rotated:5100 ./compare A.so B.so --gate 1'
    echo '# Beside two busy processes:'
    busy=()
    for _ in 1 2; do
        A=sum:33000 B=sum:33000 setsid bash -c 'while :; do ./compare A.so B.so --seconds 30; done' >/dev/null 2>&1 &
        busy+=("$!")
    done
    sleep 2
    run 'A=sum:33000 B=sum:33000 ./compare A.so B.so --gate 1 --seconds 1 --processes 6'
    run 'A=rows:6000 B=rows:6120 ./compare A.so B.so --gate 1 --seconds 1 --processes 6'
    run 'PART=rows:6000 ./recipe_parts'
    for each in "${busy[@]}"; do kill -- "-$each"; done
    wait "${busy[@]}"
} >"$out/compare.txt" 2>&1
