from collections.abc import Sequence

from dodona.core.system import TransitionSystem

POLICIES: dict[str, int]

class Judge:
    system: TransitionSystem
    def __init__(
        self,
        system: TransitionSystem,
        *,
        policy: str,
        links_too: bool = True,
        joint: bool = False,
        unfit: Sequence[int] = (),
        longest: int = 0,
    ) -> None: ...
