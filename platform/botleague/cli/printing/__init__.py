"""Printing: texts, tables and JSON, plain or in the colours of a terminal.

Results go to standard output, everything else to standard error. :mod:`rich` is imported for terminals only:
loading it takes as long as the queries of a command.
"""
