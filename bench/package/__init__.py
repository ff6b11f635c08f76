"""The measurements of `bench/python.py`. Each job runs in a process of its own."""
