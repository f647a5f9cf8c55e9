"""The modules that bots and their tests import from the original: ``pelita.utils`` and its neighbours.

Each module here has the public names of one of them. They are never installed under their own names;
:mod:`botleague_pelita.compat` lends them out, in the sandbox and to a bot author's own tests.

Source: rules/pelita.md, section 13.
"""
