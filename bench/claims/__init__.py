"""The parts of `bench/claims.py`: made-up data (`families`), their true answers (`truth`),
fits judged by them (`trials`), the page (`page`)."""
