"""Results on disk: CSV files with one row per measurement.

The Markdown page is for people. The CSV beside it holds the same numbers, with more digits,
for everything else.
"""
import csv


def write(path, rows):
    """One line per dictionary; the keys of the first are the header. Missing values become empty cells."""
    rows = [{key: cell(value) for key, value in row.items()} for row in rows]
    with open(path, "w", newline="", encoding="utf-8") as file:
        if not rows:
            return
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def cell(value):
    """Twelve digits of a float: enough to compare totals to 1e-9, and a quarter shorter than all of them."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}"
    return value
