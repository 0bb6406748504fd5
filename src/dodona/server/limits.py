"""What a server allows: how much, how long, how many at a time, and from where."""

from dataclasses import dataclass

from dodona.errors import OptionError

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """The limits of a server. None of them depends on the others."""

    size: int = 4 << 20
    """Bytes in the body of a request."""
    seconds: float = 60.0
    """For a request, from its first byte to its answer, the wait for a thread included."""
    threads: int = 0
    """Requests that are worked on at the same time; 0: one for each core."""
    waiting: int = 256
    """Requests that may wait for a thread; a further one is refused."""
    client: int = 128
    """Requests of one client, by its address, at the same time; a further one is refused."""
    memory: int = 256 << 20
    """Bytes of all bodies and answers in memory at a time; when there are as many, further requests are refused."""
    hosts: tuple[str, ...] = ()
    """Names in the Host header that are accepted; none: all names."""
    origins: tuple[str, ...] = ()
    """Web sites whose pages may use the server beside its own; `*`: all."""

    def __post_init__(self) -> None:
        for name in ("size", "seconds", "client", "memory"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected more than 0")
        for name in ("threads", "waiting"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected 0 or more")
