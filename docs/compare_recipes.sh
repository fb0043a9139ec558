#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compare_recipes.sh RECIPE WORSE: of an empty work-group RECIPE must say less than WORSE, by a third
# at least, in two of three tries (the machine may be busy). Where it says more than 100 us, as on
# Mesa's OpenCL, the two cannot be told apart: that passes.
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT

# of_nothing PROGRAM: sets us.
of_nothing() {
    "$1" >"$output" || exit
    us=$(sed -n 's/.*it says \([0-9.]*\) us.*/\1/p' "$output")
}

held=0
for _ in 1 2 3; do
    of_nothing "$1"
    recipe_us=$us
    of_nothing "$2"
    echo "the recipe: $recipe_us us; with SUBMIT for START: $us us"
    if [ -n "$recipe_us" ] && awk "BEGIN { exit !($recipe_us < 0.67 * $us || $recipe_us > 100) }"; then
        held=$((held + 1))
    fi
done
[ "$held" -ge 2 ]
