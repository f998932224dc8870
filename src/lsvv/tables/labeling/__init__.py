"""Labelling on a page of this machine: one row at a time, each answer on disk before the page says so."""

from lsvv.tables.labeling.journal import Journal
from lsvv.tables.labeling.notebook import Labeling, label
from lsvv.tables.labeling.rendering import fill_command
from lsvv.tables.labeling.server import Server
from lsvv.tables.labeling.session import AlreadyAnsweredError, Session

__all__ = ["AlreadyAnsweredError", "Journal", "Labeling", "Server", "Session", "fill_command", "label"]
