#!/bin/sh
# SPDX-License-Identifier: MIT
#
# transcript.sh compares: also a transcript and a program that are named from the folder in which one stands.
here=$(cd "${0%/*}" && pwd)
# shellcheck disable=SC1091
. "$here/../../common/test/clean.sh"
cd "$TMPDIR" || exit 1
printf '#!/bin/sh\necho 1\n' >program && chmod +x program
for row in "1 0" "2 1"; do
    printf '$ ./program\n%s\n' "${row% *}" >said.txt
    mkdir "${row% *}"
    GPU_TIMING_CLEAN=1 TMPDIR=$TMPDIR/${row% *} sh "$here/../transcript.sh" said.txt program >differences 2>&1
    code=$?
    [ "$code" = "${row#* }" ] || {
        echo "'${row% *}' where the program prints 1: exit $code, and not ${row#* }" && cat differences
        exit 1
    }
done
