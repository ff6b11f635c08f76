"""The systems that `bench/peers.py` compares, and the code that they share.

A system is a module with `fit(problem, report, **settings) -> (Wx, Wy)`. The clock runs while it computes. It
stops while data are read and while `report` evaluates an answer. `systems.py` lists all systems.
"""
