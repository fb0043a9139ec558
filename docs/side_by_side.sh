#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/side_by_side.sh A.csv B.csv, or NAME NAME [...]: the door to docs/tools/compared.py.
LC_ALL=C exec python3 -X utf8 "$(dirname "$(readlink -f "$0")")/tools/compared.py" "$@"
