# SPDX-License-Identifier: MIT
"""The one reader of a program's record, which --csv=FILE writes: rows of CSV, and lines "# name,text".

    record = read("docs/results/nvidia-h100/clfinish_sync.csv")
    record.meta["device"]                                     "NVIDIA H100 80GB HBM3"
    record.find(method="no_finish", clock="host")["median_us"]   of exactly one row, or a RecordError
    record.select(clock="host")                               all such rows

Each value is a text, as the program wrote it. What is wrong with a record, or is not in it, is a RecordError
that names the file.
"""
import csv
import pathlib
import re


class RecordError(Exception):
    pass


class Record:
    def __init__(self, name, text):
        self.name, self.meta, self.rows, self.columns = name, {}, [], []
        for number, line in enumerate(text.splitlines(), 1):
            named = re.fullmatch(r"# ([a-z]\w*)[, ](.*)", line)
            if named:
                if named[1] in self.meta:
                    raise RecordError(f"{name}, line {number}: a second '# {named[1]}'")
                self.meta[named[1]] = named[2]
            elif line and not line.startswith("#"):
                comma = ",disturbed\n" in text  # a record of before
                cells = ["" if cell == "-" else cell for cell in (next(csv.reader([line])) if comma else line.split())]
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


def read(path):
    try:
        return Record(str(path), pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        raise RecordError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
