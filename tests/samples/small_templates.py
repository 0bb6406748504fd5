"""A few templates for each kind of configuration: too few to learn much from, so that there are mistakes enough."""

from dodona.systems.registry import SYSTEMS

STACK = "S0.p\nN0.p+dist\nS0.w+N0.w\nS0.rc.l+S0.lc.l\nS1.p+S0.p\nS0.sl+N0.sl\nS0.h.p"
SITES = "P0.p\nL1.p+P0.p\nP0.p+R1.p\nP0.w+P0.sl+P0.sr\nR1.w+R2.p"


def small_templates(name: str) -> str:
    return STACK if "S0" in SYSTEMS[name].positions else SITES
