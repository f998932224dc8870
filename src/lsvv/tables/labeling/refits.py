"""Learning in the background: a thread that refits a session whenever there is news."""

from __future__ import annotations

import threading

from lsvv.tables.labeling.session import Session

__all__ = ["Refits"]


class Refits(threading.Thread):
    """Learns from new answers as long as there are any; a failure is told and stops nothing.

    Attributes
    ----------
    trouble : str
        Why the last refit failed; empty where it did not.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(name="lsvv refits", daemon=True)
        self._session = session
        self._news = threading.Event()
        self.trouble = ""

    def wake(self) -> None:
        """There is an answer to learn from."""
        self._news.set()

    def run(self) -> None:
        """Refit whenever there is news."""
        while True:
            self._news.wait()
            self._news.clear()
            self.learn()

    def learn(self) -> None:
        """Refit until nothing is new."""
        try:
            while self._session.refit():
                self.trouble = ""
        except Exception as error:
            self.trouble = f"The model could not learn from the labels so far: {error} Your answers are saved."
