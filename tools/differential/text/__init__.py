"""Delimited text: files of every legal shape, and the rules of docs/files.md by which they are read."""
