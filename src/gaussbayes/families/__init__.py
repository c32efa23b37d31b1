"""Distributions of some columns for all classes at once, one folder each, under one protocol."""
