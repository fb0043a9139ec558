# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# Read first by each test script: begins the script anew without the user's environment, in which are only a PATH, what
# the test says, and folders that nobody else has: $TMPDIR for the script, $HOME. A live test also keeps what says which
# devices and drivers there are.
if [ -z "${GPU_TIMING_CLEAN-}" ]; then
    scratch=$(mktemp -d "$PWD/scratch.XXXXXX") || exit 1
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 1' HUP INT TERM
    set -- sh "$0" "$@"
    keep=
    case $0 in
    *sane.sh) keep="CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH OCL_ICD_VENDORS OCL_ICD_FILENAMES" ;;
    esac
    for name in REFRESH COMPARE ASAN_OPTIONS UBSAN_OPTIONS $keep; do
        eval "[ -z \"\${$name+set}\" ] || set -- \"$name=\$$name\" \"\$@\""
    done
    env -i GPU_TIMING_CLEAN=1 PATH="$PATH" LC_ALL=C HOME="$scratch" TMPDIR="$scratch" "$@"
    exit
fi
