# SPDX-License-Identifier: MIT
#
# The OpenCL C that stands in a C program's text as `source`, line by line in quotes.
/source =/,/;$/!d
/\\n";*$/!d
s/^[^"]*"\(.*\)\\n";*$/\1/
s/\\"/"/g
