"""The recipes: short files, most of one experiment each, and the list of them all."""

from dodona.errors import OptionError
from dodona.experiments.plan import Recipe
from dodona.experiments.recipes import (
    active_learning,
    ambiguity,
    cost_sensitive,
    covington,
    distillation,
    exploration,
    nonmonotonic,
    pretraining,
    static_vs_dynamic,
    swap,
    systems,
)

__all__ = ["RECIPES", "recipe_of"]

ALL = (
    static_vs_dynamic.RECIPE, exploration.RECIPE, ambiguity.RECIPE, nonmonotonic.RECIPE, covington.RECIPE, swap.RECIPE,
    swap.LEARNING_CURVES, cost_sensitive.RECIPE, systems.RECIPE, distillation.RECIPE, pretraining.RECIPE,
    active_learning.RECIPE,
)  # fmt: skip
RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in ALL}


def recipe_of(name: str) -> Recipe:
    if name not in RECIPES:
        raise OptionError(f"unknown experiment {name!r}; the experiments are: {', '.join(RECIPES)}")
    return RECIPES[name]
