"""The recipes: one short file for each experiment, and the list of them all."""

from dodona.errors import OptionError
from dodona.experiments.plan import Recipe
from dodona.experiments.recipes import (
    ambiguity,
    cost_sensitive,
    covington,
    exploration,
    learning_curves,
    nonmonotonic,
    pretraining,
    static_vs_dynamic,
    swap,
    systems,
)

__all__ = ["RECIPES", "recipe_of"]

RECIPES: dict[str, Recipe] = {
    module.RECIPE.name: module.RECIPE
    for module in (
        static_vs_dynamic,
        exploration,
        ambiguity,
        nonmonotonic,
        covington,
        swap,
        learning_curves,
        cost_sensitive,
        systems,
        pretraining,
    )
}


def recipe_of(name: str) -> Recipe:
    if name not in RECIPES:
        raise OptionError(f"unknown experiment {name!r}; the experiments are: {', '.join(RECIPES)}")
    return RECIPES[name]
