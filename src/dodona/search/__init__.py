"""From scores to trees: greedy, at many sites, with a beam.

`dodona.search(pattern, sentences)`, the search for trees by `dodona.patterns`, has the name of this folder; so the
folder can be called.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class CallableFolder(ModuleType):
    """A module that is also the public function of its name. Python puts every folder that it imports into the package,
    in the place of whatever has its name there: a function beside it would be there or not, as the case may be."""

    def __call__(self, pattern: Any, sentences: Any) -> Any:
        return import_module("dodona.patterns").search(pattern, sentences)


sys.modules[__name__].__class__ = CallableFolder
