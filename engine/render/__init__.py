"""Turns results and findings into text for people and programs."""
