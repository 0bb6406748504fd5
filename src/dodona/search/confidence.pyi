from array import array

import numpy as np
from numpy.typing import NDArray

from dodona.oracles.policy import Policy
from dodona.search.choice import Choice
from dodona.transitions.gold import Gold

class Confidence:
    def __init__(
        self,
        choice: Choice,
        policy: Policy | None,
        gold: Gold | None,
        found: array[float] | NDArray[np.float64],
        temperature: float,
    ) -> None: ...
