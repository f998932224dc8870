"""Thin routes over a session: the page, news for a tab, and what a person does. Only the server's own page is heard."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lsvv.tables.labeling.page_state import page_state
from lsvv.tables.labeling.refits import Refits
from lsvv.tables.labeling.rendering import LabelingPage
from lsvv.tables.labeling.session import AlreadyAnsweredError, Session
from lsvv.tables.table import TableError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["HOST", "Routes"]

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
PATIENCE = 20.0
"""Seconds after which a page that waits for news is told that there are none."""
TICK = 0.05
MOST_BYTES = 100_000
LONGEST_TAB = 64

Handler = Callable[["Request"], Awaitable["Response"]]


class Routes:
    """What stands below ``/token/``.

    Parameters
    ----------
    session, refits, page
        What is served.
    token : str
        The part of the address that nobody can guess.
    port : int
        Where the server listens; requests that name another host are refused.
    framed : bool
        Whether pages of this machine may show this one in a frame.
    closing : callable
        Whether the server is about to stop, so that nobody is to wait any longer.
    """

    def __init__(
        self,
        session: Session,
        refits: Refits,
        page: LabelingPage,
        token: str,
        port: int,
        *,
        framed: bool = False,
        closing: Callable[[], bool] = lambda: False,
    ) -> None:
        self._session, self._refits, self._page = session, refits, page
        self._token, self._closing = token, closing
        self._hosts = {f"{name}:{port}" for name in NAMES}
        ancestors = " ".join(f"http://{name}:*" for name in NAMES) if framed else "'none'"
        self._headers = {
            "Cache-Control": "no-store",
            "Content-Security-Policy": f"{page.policy}; frame-ancestors {ancestors}",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    def app(self) -> Any:
        """The application."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        reads: dict[str, Handler] = {"": self._html, "wait": self._wait}
        acts = {"answer": self._answer, "skip": self._skip, "undo": self._undo, "again": self._again}
        return Starlette(
            routes=[
                *(Route(f"/{{token}}/{path}", self._guarded(one), methods=["GET"]) for path, one in reads.items()),
                *(
                    Route(f"/{{token}}/{path}", self._guarded(self._acting(one)), methods=["POST"])
                    for path, one in acts.items()
                ),
            ]
        )

    def _guarded(self, handler: Handler) -> Handler:
        async def checked(request: Request) -> Response:
            response = self._refused(request) or await handler(request)
            response.headers.update(self._headers)
            return response

        return checked

    def _refused(self, request: Request) -> Response | None:
        """Why a request is not from this server's own page, if it is not."""
        origin = request.headers.get("origin")
        if request.headers.get("host") not in self._hosts:
            return _error(421, "This server answers under its own address alone.")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return _error(403, "This server answers its own page alone.")
        if not secrets.compare_digest(request.path_params["token"].encode(), self._token.encode()):
            return _error(404, "The address is not complete. Copy all of it from the terminal.")
        return None

    async def _html(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse(self._page.html)

    async def _wait(self, request: Request) -> Response:
        """The state of a tab, as soon as it is another than the page knows."""
        tab, known = _tab(request.query_params.get("tab")), request.query_params.get("version")
        if tab is None:
            return _error(400, "The page did not say which tab it is. Reload it.")
        for _ in range(round(PATIENCE / TICK)):
            if str(self._session.version) != known or self._closing():
                break
            await asyncio.sleep(TICK)
        return _json(200, await asyncio.to_thread(self._state, tab))

    def _state(self, tab: str) -> dict[str, Any]:
        return {**page_state(self._session, tab), "trouble": self._refits.trouble}

    def _acting(self, act: Callable[[str, dict[str, Any]], None]) -> Handler:
        async def acted(request: Request) -> Response:
            # a page of another origin cannot send this type without asking first
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                return _error(415, "This server reads JSON alone.")
            body = bytearray()
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    return _error(413, "The answer is too long.")
            return await asyncio.to_thread(self._done, act, bytes(body))

        return acted

    def _done(self, act: Callable[[str, dict[str, Any]], None], body: bytes) -> Response:
        try:
            given = json.loads(body)
            tab = _tab(given["tab"]) or ""
            if not tab:
                raise ValueError("a page without a name")
            act(tab, given)
        except AlreadyAnsweredError as error:
            before = self._session.label_of(_row(given))
            return _json(409, {"error": str(error), "before": before, "state": self._state(tab)})
        except TableError as error:
            return _error(422, str(error))
        except (KeyError, TypeError, ValueError):
            return _error(400, "The page sent what this server cannot read. Reload it.")
        self._refits.wake()
        return _json(200, self._state(tab))

    def _answer(self, tab: str, given: dict[str, Any]) -> None:
        self._session.answer(tab, _row(given), str(given["label"]), str(given["before"]))

    def _skip(self, tab: str, given: dict[str, Any]) -> None:
        self._session.skip(tab, _row(given))

    def _undo(self, tab: str, given: dict[str, Any]) -> None:
        self._session.undo(tab)

    def _again(self, tab: str, given: dict[str, Any]) -> None:
        self._session.again(tab, _row(given))


def _row(given: dict[str, Any]) -> int:
    """The page counts rows from 1."""
    return int(given["row"]) - 1


def _tab(name: Any) -> str | None:
    return name if isinstance(name, str) and 0 < len(name) <= LONGEST_TAB else None


def _json(status: int, content: dict[str, Any]) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(content, status)


def _error(status: int, sentence: str) -> Response:
    return _json(status, {"error": sentence})
