"""Making trees projective, so that projective systems can derive them."""

from collections.abc import Sequence

__all__ = ["projectivized"]


def projectivized(heads: Sequence[int]) -> list[int]:
    """Lift the shortest non-projective arc to its head's head until none is left (Nivre and Nilsson 2005, baseline)."""
    lifted = list(heads)
    while True:
        crossing = [(abs(h - d), d) for d, h in enumerate(lifted, start=1) if not _is_projective_arc(lifted, h, d)]
        if not crossing:
            return lifted
        _, d = min(crossing)
        lifted[d - 1] = lifted[lifted[d - 1] - 1]


def _is_projective_arc(heads: Sequence[int], h: int, d: int) -> bool:
    """Whether every word between h and d descends from h."""
    for k in range(min(h, d) + 1, max(h, d)):
        while k not in (h, 0):
            k = heads[k - 1]
        if k != h:
            return False
    return True
