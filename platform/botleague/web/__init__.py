"""Pages: what :mod:`botleague.application.pages` reads, as HTML, pictures and JSON; published as files, or served live.

Only the commands that need it import this package. Plugins' code never runs here.
"""
