#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/results/compare.sh [--html] NAME NAME [...], or A.csv B.csv: the door to docs/tools/compared.py.
exec python3 -X utf8 "$(dirname "$(readlink -f "$0")")/../tools/compared.py" "$@"
