#!/bin/sh
# SPDX-License-Identifier: MIT
#
# drift.sh: does docs/check.py see it when the texts and the rest drift apart? Makes each mistake in a copy, and asks.
set -eu
cd "$(dirname "$0")/../.."
[ -n "$(git ls-files docs/check.py 2>/dev/null)" ] || { echo "no clone by git: not tested"; exit 77; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files | tar cf - -T - | tar xf - -C "$copy"
cd "$copy"
git init -q
git add -f .
tree=$(git write-tree)
docs/check.py none || { echo "there are faults before the first mistake"; exit 1; }
missed=0

# sees MISTAKE MESSAGE...: check.py fails and says each MESSAGE. Then everything is as it was.
sees() {
    docs/check.py none >/dev/null 2>.git/faults && missed=1
    echo "$1:"
    shift
    for message; do
        grep -m 1 -e "$message" .git/faults || { echo "NOT SEEN: $message"; missed=1; }
    done
    git read-tree "$tree"
    git checkout-index -qaf
}

sed -i.old '1,/[0-9]<!--=/s/\([0-9]\)<!--=/9\1<!--=/' README.md README.zh.md 0*/README.md
sees "a number in any README" "^README.md.* is " "^README.zh.md.* is " "^01.* is " "^02.* is " "^03.* is " \
    "^04.* is " "^05.* is " "^06.* is "
echo 'Take --elements 5.' | tee -a 04_cuda_events/README.md >>README.md
sed -i.old 's/--runs /--times/' 02_clfinish_sync/test/expected/clfinish_sync.txt
sees "an option" "^04.* has --elements" "^README.md.* has --elements" "^02.* has --runs"
echo '[a link](docs/no_such.md)' >>README.md
sed -i.old 's/^## /## Not /' 01_host_clock/more.md
sees "a link" "dead link docs/no_such.md" "^01.* no such heading: more.md#"
echo '// one more line' >>05_block_clock/minimal.cu
sees "a line of a program" "05_block_clock/README.md: differs"
rm docs/three_times.svg
sed -i.old 's/!\[[^]]*/![/' 04_cuda_events/README.md
sees "a drawing that is gone, and one without words" "dead link three_times.svg" "no alternative text: drawing.svg"
echo '/docs/*.svg' >>.gitignore
git rm -q --cached 01_host_clock/drawing.svg
sees "a drawing that git does not keep" "names the picture three_times.svg" "does not track drawing.svg"
sed -i.old '/^|/d' docs/glossary.md
sees "a term" "lacks \*"
echo 'One more sentence.' >>README.md
sed -i.old 's/^## /# /' README.zh.md
sees "a translation that is behind" "README.md has changed" "other headings"
seq 100 | tr '\n' ' ' >>docs/compare.md
sees "a long line" "columns: 1 2 3"
exit "$missed"
