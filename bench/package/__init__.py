"""What the Python package must show: `jobs` are single measurements, each run in a process of its own."""
