"""The checks that `bench/default.py` makes, one kind a file.

A check is a function of (data, quick) that yields `Row`s: what was asked, what was measured, and whether that is enough.
"""
