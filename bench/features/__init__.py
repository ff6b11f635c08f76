"""Canonical variables as features for a classifier with few labels,
beside other features of the same size."""
