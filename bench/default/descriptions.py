"""Words of the same packages' descriptions in English and another language: the default fit of each set.

The bags of words have zeros and ones only, so the form that `bench/texts.py` calls zeros and ones would
repeat the counts and is left out. Every set counts in the mean of `passes.py`.
"""
import texts

from . import row
from .program import DATA, SCRATCH, Failed, fit

LANGUAGES = ("es", "ru", "sk", "da")
FORMS = ("counts", "TF-IDF", "TF-IDF of length 1")
FLAGS = "--ridge 0.05"


def each_form(data, quick):
    if not (DATA / data).exists():
        raise Failed(data, "", "no such data set")
    for language in LANGUAGES[:1] if quick else LANGUAGES:
        common = texts.common(language)
        for form in FORMS:
            views = texts.saved([texts.FORMS[form](view) for view in common], SCRATCH)
            run = fit(f"English–{texts.LANGUAGES[language]}, {form}", FLAGS, views=views)
            yield row.converged(run)
            yield row.seconds(run)
