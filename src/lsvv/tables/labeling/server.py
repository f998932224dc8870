"""A session on a port of this machine, behind an address that nobody can guess."""

from __future__ import annotations

import secrets
import socket
import threading

from lsvv.tables.labeling.refits import Refits
from lsvv.tables.labeling.rendering import page_of
from lsvv.tables.labeling.routes import HOST, Routes
from lsvv.tables.labeling.session import Session
from lsvv.tables.table import TableError

__all__ = ["Server"]


class Server:
    """A web server for one session.

    Parameters
    ----------
    session : Session
    port : int
        0 takes a free one.
    framed : bool
        Whether other pages of this machine, such as a notebook, may show the page in a frame.

    Attributes
    ----------
    address : str
        What to open in a browser.
    """

    def __init__(self, session: Session, port: int = 0, *, framed: bool = False) -> None:
        try:
            import starlette  # noqa: F401
            import uvicorn
        except ImportError as error:
            raise ImportError("Labelling on a page needs Starlette and uvicorn: pip install 'lsvv[label]'.") from error
        page = page_of(session)
        self._socket = _bound(port)
        found = int(self._socket.getsockname()[1])
        token = secrets.token_urlsafe(18)
        self.address = f"http://{HOST}:{found}/{token}/"
        refits = Refits(session)
        routes = Routes(session, refits, page, token, found, framed=framed, closing=lambda: self._server.should_exit)
        config = uvicorn.Config(
            routes.app(), log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=2
        )
        self._server = uvicorn.Server(config)
        refits.start()

    def run(self) -> None:
        """Serve until Ctrl-C."""
        with self._socket:
            self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Serve beside what the program does next."""
        threading.Thread(target=self.run, name="lsvv label", daemon=True).start()

    def stop(self) -> None:
        """Serve no longer; all answers are on disk."""
        self._server.should_exit = True


def _bound(port: int) -> socket.socket:
    """A socket that listens to this machine alone."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        # who comes before the server runs waits for it
        found.listen()
    except OSError as error:
        found.close()
        raise TableError(f"Port {port} cannot be used: {error.strerror}. Choose another with --port.") from error
    return found
