#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/test/record.sh: with ONLY docs/results/record.sh records some programs anew. Who disturbed these before is
# forgotten, who disturbed the others stays. In a copy, with programs that only write a record.
set -eu
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$(dirname "$0")/../.."
mkdir -p "$copy/docs/results" "$copy/build/01_host_clock" "$copy/build/docs/copy"
cp docs/results/*.sh "$copy/docs/results"
cd "$copy"
printf 'host 01_host_clock/%s\n' host_clock stopwatch >build/programs.txt
cat >build/01_host_clock/host_clock <<'.'
#!/bin/sh
touch "${1#--csv=}"
echo "${0##*/} says $STATE"
.
cp build/01_host_clock/host_clock build/01_host_clock/stopwatch
cat >build/docs/copy/fit_to_measure <<'.'
#!/bin/sh
echo "# disturbed,$STATE" >"${1#--csv=}"
shift
[ $# -gt 0 ] || echo "cores: 2"
exec "$@"
.
chmod +x build/01_host_clock/* build/docs/copy/fit_to_measure
STATE="others ran" docs/results/record.sh known >/dev/null
STATE=no ONLY=stopwatch docs/results/record.sh known >/dev/null
grep '^disturbed: ' docs/results/known/environment.txt >found
grep ' says ' docs/results/known/README.md >>found
printf '%s\n' "disturbed: host_clock: others ran" "host_clock says others ran" "stopwatch says no" | diff - found
