#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ./tour.sh        set up, build, run every chapter that this machine can, and write build/report.html
# ./tour.sh build  set up and build
# ./tour.sh test   set up, build, and run the tests
#
# Setting up installs what is missing of these packages of Debian or Ubuntu, by apt-get, as root or through sudo:
#     build-essential cmake; opencl-headers ocl-icd-opencl-dev; pocl-opencl-icd; python3
# At a terminal it asks first. With --no-install, as in ./tour.sh --no-install build, it installs nothing and goes on
# with what is there. Without root and sudo it prints the line to type, and goes on, too.
set -u
unset CDPATH
export LC_ALL=C # a decimal point in every tool
cd "$(dirname "$(readlink -f "$0")")" || exit 1
mode='' installs=yes
for word; do
    case $mode,$word in
    *,--help | *,-h) sed -n 's/^# \{0,1\}//; 4,11p' tour.sh && exit ;;
    *,--no-install) installs=no ;;
    ,build | ,test) mode=$word ;;
    *) echo "tour.sh: unknown: '$word'; usage: ./tour.sh [--no-install] [build|test], or ./tour.sh --help" >&2 && exit 2 ;;
    esac
done
mkdir -p build && scratch=$(mktemp -d "$PWD/build/tour.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
export TMPDIR="$scratch" # /tmp may be full
log=$scratch/log
if [ -z "${POCL_CACHE_DIR-}" ] && [ ! -w "${XDG_CACHE_HOME:-${HOME-}/.cache}" ] && [ ! -w "${HOME-}" ]; then
    export POCL_CACHE_DIR="$PWD/build/pocl" # without a folder for its kernels PoCL is no device
fi

# ---- Set up ----

# as_root COMMAND...: as root, through sudo if need be; fails if neither is to be had.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        sudo "$@"
    else
        return 1
    fi
}

# install PACKAGE...: or says why not, and goes on.
install() {
    echo "Installing $* ..."
    if ! command -v apt-get >/dev/null || ! as_root true; then
        echo "Cannot: no apt-get, or neither root nor sudo. Type:"
        echo "    sudo apt-get update; sudo apt-get install $*"
    elif ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
        echo "Not installed; going on with what is there. apt-get says:"
        grep '^E:' "$log" | head -n 3
    fi
}

# agrees PACKAGES: asks at a terminal; n goes on without them, as --no-install does.
agrees() {
    [ "$installs" = yes ] || { echo "Missing here: $1; going on without." && return 1; }
    [ -t 0 ] && command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; } || return 0
    printf 'Missing here: %s. Install by apt-get, as root (n: go on without)? [Y/n] ' "$1"
    read -r answer || answer=n
    case $answer in [nN]*) return 1 ;; esac
}

missing=$(
    command -v cc >/dev/null && command -v make >/dev/null && command -v cmake >/dev/null ||
        echo build-essential cmake
    printf '#include <CL/cl.h>\nint main(void) { return 0; }\n' |
        cc -xc - -lOpenCL -o "$scratch/opencl" 2>/dev/null || echo opencl-headers ocl-icd-opencl-dev
    ls /etc/OpenCL/vendors/pocl*.icd >/dev/null 2>&1 || echo pocl-opencl-icd # beside a GPU's driver too
    [ "$mode" = build ] || command -v python3 >/dev/null || echo python3 # the page of this machine, the tests
)
if [ "$missing" ] && agrees "$(echo "$missing" | paste -sd ' ' -)"; then
    while read -r packages <&3; do # one line after the other: not every system has them all
        # shellcheck disable=SC2086 # several words
        install $packages
    done 3<<EOF
$missing
EOF
fi
for tool in cc make cmake; do
    if ! command -v "$tool" >/dev/null; then
        echo "tour.sh: nothing can be built without $tool" >&2
        exit 1
    fi
done

# ---- Build ----

# built COMMAND...: or says why not, and ends.
built() {
    "$@" >"$log" 2>&1 && return
    tail -n 30 "$log" >&2
    echo "tour.sh: the build failed$([ -s "$log" ] || echo " without a word: is the disk full?")" >&2
    exit 1
}
built cmake --preset default
sed -n 's/^-- Left out/Left out/p' "$log"
what=default also=''
[ "$mode" != test ] || what=tests also=', each also for the simulated machine, and the tests'
echo "Building the programs of the chapters$also; how far it is: tail $log"
built cmake --build --preset $what -j "$(nproc)"

case $mode in
build) echo "Built. Read next: 01_host_clock/README.md" && exit ;;
test)
    ctest --preset default
    exit
    ;;
esac

# ---- Who else uses the processor? ----

# Two samples, a second apart, of each process's number, name and ticks of a processor until now.
busy=$({
    cat /proc/stat /proc/[0-9]*/stat 2>/dev/null
    sleep 1
    echo second
    cat /proc/stat /proc/[0-9]*/stat 2>/dev/null
} | awk '
    $1 == "second" { second = 1 }
    /^cpu[0-9]/ { for (i = 2; i < 10; i++) ticks += (second ? $i : -$i); cores += second; next }
    !match($0, /^[0-9]+ \(.*\) [A-Z] /) { next }
    {
        name = substr($0, index($0, "(") + 1, RLENGTH - index($0, "(") - 4)
        sub(/^kworker.*/, "kworker", name)
        split(substr($0, RLENGTH + 1), rest, " ") # from its parent on: used by itself are 11 and 12
        if (!second)
            before[$1] = rest[11] + rest[12]
        else
            used[name] += rest[11] + rest[12] - before[$1]
    }
    END {
        for (name in used)
            if (cores && used[name] * cores > 0.05 * ticks)
                printf "%.2f %s\n", used[name] * cores / ticks, name
    }' | sort -rn | head -n 5 | awk '{ cores = $1; sub(/^[^ ]* /, ""); printf "%s%s %s", of++ ? ", " : "", $0, cores }')
echo
if [ "$busy" ]; then
    echo "Busy on this machine, each with so much of one of its $(nproc) cores: $busy."
    echo "The programs below get the rest. Times by the host's clock, and of OpenCL on the processor, grow; such rows say why"
    echo "in their last cell. Numbers of the simulated GPU stay as they are."
else
    echo "No other program is busy on this machine: none takes a twentieth of a core."
fi

# ---- Run ----

# look PROGRAM: what to look at in its table.
look() {
    case $1 in
    host_clock) echo "Look at sleep_ms: which clock hardly moves while the program sleeps? What does it count?" ;;
    clfinish_sync) echo "Look at median_us: the last row is the device's own time. How far from it is each row above?" ;;
    opencl_profiling) echo "Look at median_us: how much of what the host waits for is start_to_end, the kernel?" ;;
    cuda_events) echo "Look at extra_us: which clock comes closest to the time for which the code really ran?" ;;
    block_clock*) echo "Look at clocks_mean and whole_launch_us: which of the two grows with the number of blocks?" ;;
    warmup*) echo "Look at error_percent: which recipe comes closest to the time of a warm kernel?" ;;
    *) echo "Look at the rows: what differs between them?" ;;
    esac
}

# few PROGRAM: options with which the simulated GPU is done in seconds: at most 16 times as many blocks as fill it.
few() {
    case $1 in
    cuda_events) echo --runs 3 --size 4325376 ;;
    block_clock) echo --runs 1 --blocks 1,8,16,32,64,132,133,1056,1057,2112,4224,16896 ;;
    warmup) echo --runs 1 --size 1048576 ;;
    esac
}

# run COMMAND...: prints what COMMAND prints, and leaves its exit code in $code and its last words in $why.
run() {
    { "$@" 2>"$log"; echo $? >"$scratch/code"; } | tee "$scratch/output"
    read -r code <"$scratch/code"
    [ "$code" -eq 77 ] || cat "$log" >&2
    why=$(sed 's/^[^:]*: //; s/: [^:]*:[0-9][0-9]*: .*//' "$log" | tail -n 1) # without the call that found it
}

failed=0 gpu='' said='' # why the last CUDA program did not run here
out=$scratch/tour # what report.py reads; the last tour's stays until this one is done
mkdir "$out" || exit 1
tools/environment.sh >"$out/environment.txt" 2>/dev/null

# build/programs.txt, which CMake writes, lists the programs in reading order. The tour runs the first of each
# chapter, for OpenCL and for CUDA.
# shellcheck disable=SC2013 # names without blanks
for line in $(awk -F '[ /]' '/ 0/ && !seen[$1 $2]++ { print $1 ":" $2 "/" $3 }' build/programs.txt); do
    program=${line#*:}
    name=${program##*/}
    printf '\n==== %s ====\n\n' "$program"
    : >"$scratch/output"
    folder=$out path=$program
    if [ ! -x "build/$program" ]; then
        code=77
        case $line in
        cuda:*) why="not built: CMake found no CUDA Toolkit" ;;
        *) why="not built: CMake found no OpenCL (Debian, Ubuntu: ocl-icd-opencl-dev)" ;;
        esac
    else
        printf '%s\n\n' "$(look "$name")"
        case $gpu,$name in
        no,warmup) ;;
        *,warmup*) echo "(A new process for each recipe.)" && echo ;;
        esac
        run "build/$program"
    fi
    case $code,$line in
    77,cuda:0*)
        if [ "$why" != "$said" ]; then
            echo "Not on this machine: $why."
            echo "So it runs on a simulated GPU, a model of an H200 in software. No number below is of hardware."
        else
            echo "Again on the simulated GPU: no number below is of hardware."
        fi
        echo
        said=$why
        folder=$out/simulated path=simulated/$program gpu=no
        mkdir -p "$folder"
        [ -x "build/$program" ] || { look "$name" && echo; }
        # shellcheck disable=SC2046 # several words
        run env SIMULATED_TIMES=h200 "build/simulated/bin/$program" $(few "$name")
        ;;
    esac
    case $code in
    0) cp "$scratch/output" "$folder/$name.txt" ;; # a table that has its end
    77) echo "Skipped: $why" ;;
    *)
        echo "FAILED: $path"
        failed=1
        ;;
    esac
    printf '%s\t%s\t%s\t%s\n' "$path" "$code" "$(look "$name")" "$why" >>"$out/ran.txt"
done

printf '\n==== One kernel under every clock ====\n\n'
set --
for record in "$out/clfinish_sync.txt" "$out/cuda_events.txt"; do
    [ ! -s "$record" ] || set -- "$@" "$record"
done
[ $# -gt 0 ] || set -- /dev/null
awk -f tools/one_kernel.awk "$@"

printf '\n==== What holds on this machine ====\n\n'
set --
while IFS='	' read -r path code _; do
    case $code,$path in
    0,simulated/*) set -- "$@" "$out/simulated/${path##*/}.txt" ;;
    0,*) set -- "$@" "$out/${path##*/}.txt" ;;
    esac
done <"$out/ran.txt"
[ $# -eq 0 ] || awk -f tools/holds.awk "$@" | tee "$out/holds.txt"

echo
if ! command -v python3 >/dev/null; then
    echo "The report is left out: it needs python3 (Debian, Ubuntu: sudo apt-get install python3)."
elif python3 -X utf8 tools/report.py "$out" build/report.html; then
    echo "The pictures of this machine: xdg-open build/report.html"
else
    echo "FAILED: tools/report.py" >&2
    failed=1
fi
rm -rf build/tour && mv "$out" build/tour # with the records
echo "Read next: 01_host_clock/README.md"
printf '\nChange the threads or the size, and see which rows differ by more than noise:\n'
for pair in block_clock:--threads=64 block_clock_opencl:--threads=64 clfinish_sync:--size=1024 cuda_events:--size=1024; do
    name=${pair%%:*} option=${pair#*:}
    if [ -s "build/tour/$name.txt" ]; then
        echo "    ./change.sh $name ${option%=*} ${option#*=}"
    elif [ -s "build/tour/simulated/$name.txt" ]; then
        echo "    ./change.sh $name ${option%=*} ${option#*=}    (on the simulated GPU)"
    fi
done
printf '\nTime a kernel of your own on the simulated GPU, in the browser:\n    xdg-open docs/stopwatch/index.html\n'
exit "$failed"
