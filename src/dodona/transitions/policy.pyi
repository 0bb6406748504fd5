from collections.abc import Sequence

from dodona.transitions.gold import Gold
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

class Policy:
    system: TransitionSystem
    def __init__(
        self, system: TransitionSystem, oracle: str, *, forbidden: Sequence[int] = (), longest: int = 0
    ) -> None: ...
    def list_costs(self, s: State, gold: Gold, site: int = 0, planned: int = -1, carried: int = -1) -> list[int]: ...

def leaves_a_choice(oracle: str) -> bool: ...

class RandomGenerator:
    def __init__(self, seed: int) -> None: ...
    def draw(self) -> float: ...
