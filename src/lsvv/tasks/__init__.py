"""Tasks that share what they know: fields seen at different places, domains, and columns of classes."""

from lsvv.tasks.cokriging import CoKriging

__all__ = ["CoKriging"]
