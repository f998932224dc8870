"""Labelling on a page of this machine: one row at a time, each answer on disk before the page says so."""

from lsvv.tables.labeling.journal import Journal
from lsvv.tables.labeling.notebook import Labeling, label
from lsvv.tables.labeling.rendering import command_to_fill
from lsvv.tables.labeling.server import Server
from lsvv.tables.labeling.session import AlreadyAnsweredError, Session

__all__ = ["AlreadyAnsweredError", "Journal", "Labeling", "Server", "Session", "command_to_fill", "label"]
