"""Boxes that can be opened again and again, each with a belief that every draw changes."""
