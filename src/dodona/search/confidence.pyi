from array import array

import numpy as np
from numpy.typing import NDArray

from dodona.search.choice import Choice

class Confidence:
    def __init__(self, choice: Choice, found: array[float] | NDArray[np.float64], temperature: float) -> None: ...
