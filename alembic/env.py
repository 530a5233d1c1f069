"""How Alembic reaches the database: the caller's connection, else the one of LOOPCTL_HOME."""

import os

from sqlalchemy import Connection

from alembic import context
from loopctl.store.connection import WRITES, open_engine
from loopctl.store.home import state_home
from loopctl.store.tables import metadata


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        compare_type=True,
        compare_server_default=True,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    home = state_home(os.environ)
    home.database.touch(mode=0o600)
    engine = open_engine(home.database)
    with engine.connect().execution_options(**{WRITES: True}) as own, own.begin():
        run(own)
    engine.dispose()
