"""The reasons for which lcca may refuse a legal file, and the words by which its message is known.
There are no others."""

import re

MISSING = "values are missing, and the options do not settle them"
INFINITE = "a number is infinite"
CROWDED = "a column of texts has more than half as many texts as rows"
NO_NUMBERS = "a column holds neither numbers nor texts"
ALIKE = "two columns have one name"
FIRST_LINE = "the first line could be names or data, by the rules of docs/files.md"
RAGGED = "a row lacks a field"
MIXED = "a column holds numbers and texts"
SEPARATORS = "a column holds numbers with separators, or dates"
BROTLI = "Brotli"
REPEATED = "texts were taken as row names and repeat"
TWICE = "a header has a field twice"
LAYOUT = "a layout of SciPy's that is not read"
AMBIGUOUS_COMMA = "one comma per line is either between fields or before decimals"
NOTHING = "the file holds no rows or no columns"

REASONS = {
    MISSING: (
        r"the value is missing|the value is NaN|has no value at all|rows misses a value"
        r"|holds NaN|no rows"
    ),
    INFINITE: r"is not a finite number|the value is -?inf",
    CROWDED: r"holds texts \(.*\), \d+ different ones",
    NO_NUMBERS: r"holds [a-zA-Z ,]+, expected numbers or categories",
    ALIKE: r"columns \d+ and \d+ are both called|two columns would be called",
    FIRST_LINE: r"either the names of the columns or the first row: say which",
    RAGGED: r"line \d+: (has|names) \d+ (fields|columns)",
    MIXED: r"expected a number, found",
    SEPARATORS: r"holds (numbers with separators or units|dates) \(",
    BROTLI: r"Brotli",
    REPEATED: r"was taken as row names, but .* occurs more than once",
    TWICE: r"the header has the field .* twice",
    LAYOUT: r"is in SciPy's layout",
    AMBIGUOUS_COMMA: r"either between two fields or before decimals: say which",
    NOTHING: r"the matrix has no (rows|columns)",
}


def matches(reason: str, message: str) -> bool:
    """Whether a message of lcca gives this reason."""
    return re.search(REASONS[reason], message) is not None
