"""Runs migrations on the connection that :func:`botleague_storage.connection.migrating.upgrade` passes in."""

from alembic import context

from botleague_storage.schema.schema import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
