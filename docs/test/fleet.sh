#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fleet.sh BUILD [TIMES]: does docs/lab/fleet.py name a device that is slow, and nobody where none is? A fleet of eight
# PoCL devices on this machine, whose processes are started by fleet.sh itself, by mpirun (Debian: openmpi-bin) and by
# Slurm's srun (slurmctld, slurmd, munge; Slurm needs root). The eight share the cores, so they measure in turns. The
# slow one has busy loops beside it. What is not installed is left out and named; with neither the test is skipped (77).
set -eu
cd "$(dirname "$(readlink -f "$0")")/../.."
suite=$PWD
build=$(readlink -f "${1:?usage: fleet.sh BUILD [TIMES]}")
times=${2-1}
scratch=$(mktemp -d)
daemons=
clean_up() {
    for daemon in $daemons; do kill "$daemon" 2>/dev/null || :; done
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
skip() {
    echo "fleet.sh: $1"
    exit 77
}

python=
for one in python3 /usr/bin/python3; do
    "$one" -c 'import pandas' 2>/dev/null && python=$one && break
done
[ "$python" ] || skip "no pandas (Debian: python3-pandas)"
[ -x "$build/03_opencl_profiling/opencl_profiling" ] || skip "opencl_profiling is not built"
export POCL_DEVICES="pthread pthread pthread pthread pthread pthread pthread pthread" # of PoCL, older ones too
export DEVICES=opencl ROUNDS=8 TURNS="$scratch/turn"
[ "$("$build/03_opencl_profiling/opencl_profiling" --device list | grep -c "Portable")" = 8 ] || skip "no eight PoCL devices"

# A build folder whose program finds busy loops beside it on device $SLOW.
mkdir -p "$scratch/build/03_opencl_profiling" "$scratch/build/docs/copy"
ln -s "$build/docs/copy/fit_to_measure" "$scratch/build/docs/copy"
cat >"$scratch/build/03_opencl_profiling/opencl_profiling" <<.
#!/bin/sh
loops=
if [ "\$1 \$2" = "--device \${SLOW-}" ]; then
    for loop in \$(seq $((3 * $(nproc)))); do
        sh -c 'while :; do :; done' & loops="\$loops \$!"
    done
fi
"$build/03_opencl_profiling/opencl_profiling" "\$@"
code=\$?
[ -z "\$loops" ] || kill \$loops
exit \$code
.
chmod +x "$scratch/build/03_opencl_profiling/opencl_profiling"

# judge NAME COMMAND...: a fleet with a slow device, and a quiet one.
bad=0
judge() {
    name=$1
    shift
    for slow in 5 ''; do
        rm -rf "$scratch/out"
        SLOW=$slow "$@" "$suite/docs/lab/fleet.sh" "$scratch/build" "$scratch/out" || bad=1
        code=0
        "$python" "$suite/docs/lab/fleet.py" "$scratch/out" --limit 25 >"$scratch/text" || code=$?
        named=$(sed -n 's/.* GPU \([0-9]*\) takes.*/\1/p' "$scratch/text")
        echo "$name: slow: ${slow:-none}; named: ${named:-none}"
        if [ "$named" != "$slow" ] || [ "$code" != "${slow:+1}" ] && [ "$code$slow" != 0 ]; then
            cat "$scratch/text"
            bad=1
        fi
    done
}
ran=0
for time in $(seq "$times"); do
    echo "$time of $times"
    judge alone env && ran=1
done
exit "$bad"
