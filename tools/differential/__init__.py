"""Generators of legal files, and the comparison of lcca's readers with those of other libraries."""
