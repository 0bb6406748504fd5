"""Requests that get no result: a status of HTTP and one plain sentence."""

__all__ = ["Refusal"]


class Refusal(Exception):
    """Why a request gets no result. The message is shown to whoever asked, so it has nothing of the machine in it."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
