# SPDX-License-Identifier: MIT
"""The one reader of what a program printed: rows, whose columns the first line without # names, and lines "# name value".

    record = read("docs/results/nvidia-h200/clfinish_sync.txt")
    record.meta["device"]                                     "NVIDIA H200, NVIDIA CUDA, 580.159.04"
    record.find(method="no_finish", clock="host")["median_us"]   of exactly one row, or a RecordError
    record.select(clock="host")                               all such rows
    record.numbers("estimate_us", recipe="mean_of_100")       of all such rows that have it, in their order

Each value is a text, as the program wrote it, and "" where it wrote "-". What is wrong with a record, or is not in it,
is a RecordError that names the file.
"""
import pathlib
import re


class RecordError(Exception):
    pass


class Record:
    def __init__(self, name, text):
        self.name, self.meta, self.rows, self.columns = name, {}, [], []
        for number, line in enumerate(text.splitlines(), 1):
            named = re.fullmatch(r"# ([a-z]\w*) (.*)", line)  # else it is a sentence
            if named:
                if named[1] in self.meta:
                    raise RecordError(f"{name}, line {number}: a second '# {named[1]}'")
                self.meta[named[1]] = named[2]
            elif line and not line.startswith("#"):
                cells = ["" if cell == "-" else cell for cell in line.split()]
                if not self.columns:
                    self.columns = cells
                    twice = [column for column in cells if cells.count(column) > 1]
                    if twice:
                        raise RecordError(f"{name}: two columns are called {twice[0]}")
                elif len(cells) != len(self.columns):
                    raise RecordError(f"{name}, line {number}: {len(cells)} cells, {len(self.columns)} columns")
                else:
                    self.rows.append(dict(zip(self.columns, cells)))

    def column(self, name):
        """`name`, if there is such a column."""
        if name not in self.columns:
            raise RecordError(f"{self.name}: no column '{name}'; there is {', '.join(self.columns)}")
        return name

    def keys(self):
        """The columns that name a row: those before the first number with a unit, or the first. A run is no name."""
        units = r".*_(us|ns|ms|s|mhz|percent|days)|(.*_)?clocks(_.*)?"
        first = next((i for i, column in enumerate(self.columns) if re.fullmatch(units, column)), 1)
        return [column for column in self.columns[:first or 1] if column not in ("run", "launches")]

    def select(self, **keys):
        for key in keys:
            self.column(key)
        return [row for row in self.rows if all(row[key] == str(value) for key, value in keys.items())]

    def find(self, **keys):
        found = self.select(**keys)
        if len(found) != 1:
            asked = " ".join(f"{key}={value}" for key, value in keys.items()) or "without a key"
            raise RecordError(f"{self.name}: {len(found) or 'no'} row{'s' * (len(found) > 1)} {asked}")
        return found[0]

    def numbers(self, column, **keys):
        return [float(row[column]) for row in self.select(**keys) if row[self.column(column)]]


def read(path):
    try:
        return Record(str(path), pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        raise RecordError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
