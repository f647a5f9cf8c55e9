"""What the original offers to bots beside the engine: base class, registry, logging, timing, battles.

The harness shows these under the names that bots import; nothing here is used by the host.
"""
