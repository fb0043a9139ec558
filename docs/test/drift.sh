#!/bin/sh
# SPDX-License-Identifier: MIT
#
# drift.sh BUILD: does docs/tools/check.py see it when the texts and the rest drift apart? Makes each mistake in a copy, and
# asks.
# shellcheck disable=SC2016 # awk expands them
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
[ -n "$(git ls-files docs/tools/check.py 2>/dev/null)" ] || { echo "no clone by git: not tested"; exit 77; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files | tar cf - -T - | tar xf - -C "$copy"
cd "$copy"
git init -q
mkdir docs/results/test
record=docs/results/test/drift.csv
cat >"$record" <<'.'
# program,drift 1.0.0
method,kernel,median_us,max_us,runs,disturbed
way_a,one,12.341,20.4,4,0
way_a,two,30.055,40.2,5,0
way_b,one,11.004,2512.6,4,0
# share_percent,1.52
.
cat >docs/drift.md <<'.'
# Drift

Way A takes 12.34 us for one and 30.06 us for two; the least is 11.00 us, the longest 2.5 ms, and A's longest 40 us.
The share is +1.5 %. A had 4 runs, B had 4 runs.

<!-- numbers
12.34  test/drift method=way_a kernel=one median_us
30.06  test/drift method=way_a "kernel=two" median_us
11.00  test/drift min median_us
2.5    test/drift max max_us /1000
40     test/drift method=way_a max max_us
+1.5   test/drift share_percent
4      test/drift method=way_a kernel=one runs
4      test/drift method=way_b runs
-->
.
git add -f .
tree=$(git write-tree)
docs/tools/check.py "$build" || { echo "there are faults before the first mistake"; exit 1; }
missed=0

# sees MISTAKE MESSAGE...: check.py fails and says each MESSAGE. Then everything is as it was.
sees() {
    docs/tools/check.py "$build" >/dev/null 2>.git/faults && missed=1
    echo "$1:"
    shift
    for message; do
        grep -m 1 -e "$message" .git/faults || { echo "NOT SEEN: $message"; missed=1; }
    done
    git read-tree -u --reset "$tree"
}

# refreshed MISTAKE SCRIPT [MESSAGE]: --refresh makes of docs/drift.md what sed SCRIPT makes of it, and of no other text
# anything. Then there is nothing to say but MESSAGE.
refreshed() {
    echo "$1, refreshed:"
    sed "$2" docs/drift.md >.git/wanted
    docs/tools/check.py --refresh "$build" >/dev/null 2>.git/faults || :
    diff .git/wanted docs/drift.md || missed=1
    git diff --name-only -- '*.md' | grep -v docs/drift.md && missed=1
    if grep -v -e "${3:-nothing}" .git/faults || { [ -n "${3:-}" ] && ! grep -e "$3" .git/faults; }; then
        echo "NOT AS IT SHOULD BE"
        missed=1
    fi
    git read-tree -u --reset "$tree"
}

# change SCRIPT FILE: as sed -i, which each sed has in another way.
change() {
    sed "$1" "$2" >.git/changed
    cat .git/changed >"$2"
}

# rows PROGRAM: the record, its rows as awk's PROGRAM prints them.
rows() {
    awk -F, -v OFS=, "/^#/ { print; next } $1" "$record" >.git/changed
    cat .git/changed >"$record"
}

rows '{ $2 = $2 OFS (seen++ ? "7.77" : "p95_us"); print }'
refreshed "a column more in a record" ''
rows '!seen++ { print; next } { row[++n] = $0 } END { while (n) print row[n--] }'
refreshed "the rows of a record in another order" ''
rows '{ print } /^way_a,one/ { $2 = "three"; $3 = 15; print }'
refreshed "a row more in a record" ''
change '/^way_b,/d' "$record"
sees "a row that is gone" "^docs/drift.md, Drift: 4: test/drift: no row method=way_b"
change '/^way_b,/d' "$record"
refreshed "a row that is gone, of another's least" 's/11\.00/12.34/; s/^2\.5 /0.0 /; s/2\.5 ms/0.0 ms/' "no row method=way_b"
change '/^way_b,/p' "$record"
sees "a row twice" "drift: 2 rows method=way_b"
change 's/median_us/middle_us/' "$record"
sees "a column that is gone" "drift: no column 'median_us'"
change '/^# share/d' "$record"
sees "a named value that is gone" "drift: no '# share_percent,'"
change 's/^# share_percent.*/# share_percent,/' "$record"
sees "a value that is no number" "drift: no number in share_percent"
rm "$record"
sees "a record that is gone" "No such file"

change 's/12\.341/56.789/; s/percent,1.52/percent,-0.31/' "$record"
sees "values that have changed" "12.34 is 56.79: test/drift method=way_a kernel=one median_us" "+1.5 is -0.3: test/drift"
change 's/12\.341/56.789/; s/percent,1.52/percent,-0.31/' "$record"
refreshed "values that have changed" 's/12\.34/56.79/; s/+1\.5/-0.3/'
change 's/30\.055/30.051/' "$record"
refreshed "a value near another step" 's/30\.06/30.05/'
change 's/20\.4,4,/20.4,6,/' "$record"
refreshed "one of two equal numbers" '' "4 is 6: test/drift method=way_a kernel=one runs; change this one by hand"
change 's/,4,0$/,6,0/' "$record"
refreshed "both of two equal numbers" 's/had 4 runs/had 6 runs/g; s/^4 /6 /'
change 's/30\.055/31.5/' "$record"
change 's|^The share|30.06 again. The share|' docs/drift.md
refreshed "a number that also stands unmarked" '' "30.06 is 31.50: .*; change this one by hand"

change 's/12\.34 us/12.35 us/' docs/drift.md
sees "a number changed by hand" "12.34 stands 0 times, for 1 marks" "measured where? 12.35"
echo 'It took 9.1 us, 9.2 ms, 9.3 ns; at 9.4 GB/s, 9.5 MHz; that is 9.6 %, 9.7 percent, 9.8 times as much.' >>docs/drift.md
sees "a number without a mark" "measured where? 9.1" "where? 9.2" "where? 9.3" "where? 9.4" "where? 9.5" "where? 9.6" \
    "where? 9.7" "where? 9.8" "do not stand at the end"
change 's/ method=way_b runs/ method runs/; s/^11.00 .*/11.00/' docs/drift.md
sees "what is no mark" "4: not a mark: test/drift method runs" "Drift: not a mark: NUMBER"
change '/^# Drift/s/$/ 4/; s/A had 4/A had four/' docs/drift.md
sees "a number in a heading alone" "4 stands 1 times, for 2 marks"
change '/^<!-- numbers/{n;s/^/9/;}' README.md
change '/^<!-- numbers/{n;s/^/9/;}' 06_warmup/README.md
sees "a mark of other numbers" "^README.md.* stands 0 times" "^06.* stands 0 times" "^README.zh.md: other marks"
echo 'Take --elements 5.' | tee -a 04_cuda_events/README.md >>README.md
echo 'Take ./stopwatch --size 5.' >>01_host_clock/README.md
sees "an option" "^04.* has --elements" "^README.md.* has --elements" "^01.* has --size"
echo '[a link](docs/no_such.md)' >>README.md
echo '[a heading](glossary.md#no-such)' >>docs/drift.md
sees "a link" "dead link docs/no_such.md" "^docs/drift.md: no such heading: glossary.md#no-such"
echo '// one more line' >>01_host_clock/minimal.c
change 's/round < 1000/round < 1001/' 05_block_clock/minimal.cu
sees "a line of a program" "01_host_clock/README.md: differs" "05_block_clock/README.md: differs"
rm docs/three_times.svg
sed -i.old 's/!\[[^]]*/![/' 04_cuda_events/README.md
sed -i.old '/prefers-color-scheme/d' 02_clfinish_sync/drawing.svg
sees "a drawing that is gone, one without words, and one for light pages only" "dead link three_times.svg" \
    "no alternative text: drawing.svg" "dark page: drawing.svg"
echo '/docs/*.svg' >>.gitignore
git rm -q --cached 01_host_clock/drawing.svg
sees "a drawing that git does not keep" "names the picture three_times.svg" "does not track drawing.svg"
sed -i.old '/^|/d' docs/glossary.md
sees "a term" "lacks \*"
echo 'One more sentence.' >>README.md
sed -i.old 's/^## /# /' README.zh.md
sees "a translation that is behind" "README.md has changed" "other headings"
echo 'One more sentence.' >>03_opencl_profiling/README.md
change '/^## /d; s|(../docs/pitfalls.md)||' 03_opencl_profiling/README.zh.md
sees "a chapter's translation that is behind" "^03_opencl_profiling/README.zh.md: README.md has changed" \
    "^03.*lacks the heading: ## Try" "^03.*other links than README.md: .*pitfalls.md"
echo '## One more' >>02_clfinish_sync/README.md
sees "a heading without a translation" "^02.* lacks the heading: ## One more"
echo 'int main(void) {}' >docs/lab/new.c
git add docs/lab/new.c
sees "a program that stands nowhere" "^docs/lab/new.c is not in docs/lab/CMakeLists.txt" "lab/test/new.txt with sweep" \
    "^docs/lab/new.c is not in docs/lab/test/sane.awk" "^docs/lab/new.c is not in docs/lab/README.md"
echo 'no_such  a fault' >>common/test/faults.txt
change '/^held_up /d' common/test/faults.txt
sees "a fault that is not in the list, and one that is only there" "lacks held_up" "has no_such"
printf '%0118d yy\n' 0 >>docs/compare.md
echo '   <details>' >>docs/glossary.md
sees "a long line, and one that ends the Markdown" "docs/compare.md: 121 columns: 000" "^docs/glossary.md: behind this"
exit "$missed"
