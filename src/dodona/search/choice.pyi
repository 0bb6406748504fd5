from dodona.scoring.scorer import Scorer
from dodona.transitions.system import TransitionSystem

class Choice:
    system: TransitionSystem
    scorer: Scorer
    def __init__(self, system: TransitionSystem, scorer: Scorer) -> None: ...
