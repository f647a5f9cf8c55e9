"""Printing: texts, tables and JSON, plain or in the colours of a terminal.

Results go to standard output, everything else to standard error. :mod:`rich`, which takes as long to load as the
queries of a command, is imported only for terminals, displays of progress, and tables whose cells take several lines.
"""
