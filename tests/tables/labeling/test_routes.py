"""The server hears its own page alone, and says what the session says."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lsvv.tables.labeling import Session
from lsvv.tables.labeling.refits import Refits
from lsvv.tables.labeling.rendering import LabelingPage, page_of
from lsvv.tables.labeling.routes import Routes

from .conftest import truth_of

testclient = pytest.importorskip("starlette.testclient")

Begin = Callable[..., Session]
HOST = "http://127.0.0.1:4321"


@pytest.fixture
def session(begin: Begin) -> Session:
    """A session without a thread that learns."""
    return begin()


@pytest.fixture
def client(session: Session) -> Iterator[Any]:
    """What a browser at the right address sends."""
    routes = Routes(session, Refits(session), page_of(session), "secret", 4321)
    with testclient.TestClient(routes.app(), base_url=HOST) as found:
        yield found


def test_the_page_is_small_and_lets_nothing_else_in(client: Any) -> None:
    reply = client.get("/secret/")
    assert reply.status_code == 200
    assert len(reply.content) < 300_000
    assert "http://" not in reply.text.replace("http://www.w3.org/2000/svg", "")
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/guess/", {}, 404),
        ("/", {}, 404),
        ("/secret/", {"host": "evil.example:4321"}, 421),
        ("/secret/", {"host": "127.0.0.1:80"}, 421),
        ("/secret/", {"host": "localhost:4321"}, 200),
        ("/secret/", {"origin": "http://evil.example"}, 403),
        ("/secret/", {"origin": "null"}, 403),
        ("/secret/", {"origin": HOST}, 200),
    ],
)
def test_others_are_refused(client: Any, path: str, headers: dict[str, str], status: int) -> None:
    assert client.get(path, headers=headers).status_code == status


def test_an_answer_is_saved_before_the_reply(client: Any, session: Session) -> None:
    view = client.get("/secret/wait", params={"tab": "a", "version": -1}).json()
    row = view["question"]["row"]
    reply = client.post("/secret/answer", json={"tab": "a", "row": row, "label": "cat", "before": ""})
    assert reply.status_code == 200
    assert session.label_of(row - 1) == "cat"
    assert reply.json()["question"]["row"] != row
    assert reply.json()["answered"] == 1


def test_a_conflict_says_what_is_there(client: Any) -> None:
    sent = {"row": 50, "before": ""}
    client.post("/secret/answer", json={"tab": "a", "label": "cat", **sent})
    reply = client.post("/secret/answer", json={"tab": "b", "label": "dog", **sent})
    assert reply.status_code == 409
    assert reply.json()["before"] == "cat"
    assert reply.json()["state"]["answered"] == 1


def test_skip_undo_and_a_second_look(client: Any, session: Session) -> None:
    row = client.get("/secret/wait", params={"tab": "a", "version": -1}).json()["question"]["row"]
    other = client.post("/secret/skip", json={"tab": "a", "row": row}).json()["question"]["row"]
    client.post("/secret/answer", json={"tab": "a", "row": other, "label": truth_of(other - 1), "before": ""})
    again = client.post("/secret/again", json={"tab": "a", "row": other}).json()["question"]
    assert (again["row"], again["label"]) == (other, truth_of(other - 1))
    assert client.post("/secret/undo", json={"tab": "a"}).json()["question"]["label"] == ""
    assert session.n_answered == 0


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("answer", {"json": {"tab": "a", "row": 50, "label": "", "before": ""}}, 422),
        ("answer", {"json": {"tab": "a", "row": "x", "label": "cat", "before": ""}}, 400),
        ("answer", {"json": {"tab": "", "row": 50, "label": "cat", "before": ""}}, 400),
        ("answer", {"json": ["a"]}, 400),
        ("answer", {"json": {"tab": "a", "row": 50, "label": "c" * 200_000, "before": ""}}, 413),
        ("answer", {"data": {"tab": "a"}}, 415),
        ("undo", {"json": {"tab": "a"}}, 422),
        ("skip", {"json": {"tab": "a", "row": 0}}, 422),
        ("skip", {"json": {"tab": "a", "row": 10**6}}, 422),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(
    client: Any, session: Session, path: str, sent: dict[str, Any], status: int
) -> None:
    reply = client.post(f"/secret/{path}", **sent)
    assert reply.status_code == status
    assert reply.json()["error"].endswith(".")
    assert session.n_answered == 0


def test_a_page_that_waits_hears_at_once_what_it_does_not_know(client: Any, session: Session) -> None:
    view = client.get("/secret/wait", params={"tab": "a", "version": session.version - 1}).json()
    assert view["version"] == session.version
    assert client.get("/secret/wait").status_code == 400


def test_nobody_waits_for_a_server_that_stops(session: Session) -> None:
    asked = []

    def closing() -> bool:
        asked.append(session.version)
        return True

    routes = Routes(session, Refits(session), LabelingPage("", ""), "secret", 4321, closing=closing)
    with testclient.TestClient(routes.app(), base_url=HOST) as client:
        view = client.get("/secret/wait", params={"tab": "a", "version": session.version}).json()
    # it looked once, and did not wait to look again
    assert asked == [view["version"]]


def test_a_notebook_of_this_machine_may_frame_the_page(session: Session) -> None:
    routes = Routes(session, Refits(session), page_of(session), "secret", 4321, framed=True)
    with testclient.TestClient(routes.app(), base_url=HOST) as client:
        policy = client.get("/secret/").headers["content-security-policy"]
    assert "frame-ancestors http://127.0.0.1:* http://localhost:*" in policy


def test_a_refit_that_fails_is_told_and_loses_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    refits = Refits(session)
    with monkeypatch.context() as patch:
        patch.setattr(session, "refit", lambda: 1 // 0)
        refits.learn()
        assert refits.trouble.startswith("The model could not learn from the labels so far: integer division")
    session.answer("a", 50, "cat")
    refits.learn()
    assert refits.trouble == ""
    assert bool(session.belief.known[50])
