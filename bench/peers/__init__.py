"""The systems that `bench/peers.py` sets beside each other, and what they share.

A system is a module with `fit(problem, report, **settings) -> (Wx, Wy)`. The clock runs while it computes: not while
data are read, nor while `report` evaluates what was found so far. `systems.py` lists them all.
"""
