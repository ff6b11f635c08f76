"""The checks of `bench/default.py`, one kind per file.

A check is a function of (data, quick) that yields a `Row` per requirement:
the requirement, the measurement, the verdict.
"""
