"""Runs the migrations, from a checkout or from an installed package.

Importing this imports Alembic, which is slow: only ``schema`` does, and only when it has to.
"""

from pathlib import Path

from alembic.config import Config
from sqlalchemy import Connection

import loopctl
from alembic import command


def upgrade(connection: Connection) -> None:
    """Bring the database to the newest version within the connection's transaction."""
    command.upgrade(configuration(connection), "head")


def configuration(connection: Connection) -> Config:
    """What Alembic's commands need in order to work on ``connection``."""
    config = Config()
    config.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def scripts() -> Path:
    """The folder of the migrations: inside the package once installed, else beside it."""
    package = Path(loopctl.__file__).parent
    installed = package / "migrations"
    return installed if installed.is_dir() else package.parent / "alembic"
