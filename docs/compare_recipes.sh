#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compare_recipes.sh RECIPE WORSE PATTERN RULE: both print a number of microseconds within PATTERN.
# RULE says of "recipe" and "worse" what must hold in two of three tries: the machine may be busy.
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT

# figure PROGRAM PATTERN: sets us.
figure() {
    "$1" >"$output" || exit
    us=$(grep -o "$2" "$output" | grep -o '[0-9.]*[0-9]' | head -n 1)
}

held=0
for _ in 1 2 3; do
    figure "$1" "$3"
    recipe_us=$us
    figure "$2" "$3"
    echo "the recipe: $recipe_us us; without what makes it right: $us us"
    if [ -n "$recipe_us" ] && awk -v recipe="$recipe_us" -v worse="$us" "BEGIN { exit !($4) }"; then
        held=$((held + 1))
    fi
done
[ "$held" -ge 2 ]
