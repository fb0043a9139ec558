# SPDX-License-Identifier: MIT
#
# Makes a table of a record of before: blanks in place of commas, - for nothing.
BEGIN { FS = "," }
/^# / { sub(",", " "); print; next }
{
    for (i = 1; i <= NF; i++) {
        gsub(" ", "_", $i)
        if ($i == "")
            $i = "-"
    }
    if ($NF == "0")
        $NF = "-"
    $1 = $1
    print
}
