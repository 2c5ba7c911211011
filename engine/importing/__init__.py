"""Reads configurations that were written for something else: launch scripts, argument files, logs, model files.

Nothing that is read is ever run.
"""
