"""The recipes: one short file for each experiment, and the list of them all."""

from dodona.errors import OptionError
from dodona.experiments.recipe import Recipe
from dodona.experiments.recipes import ambiguity, covington, exploration, nonmonotonic, static_vs_dynamic

__all__ = ["RECIPES", "recipe_of"]

RECIPES: dict[str, Recipe] = {
    module.RECIPE.name: module.RECIPE for module in (static_vs_dynamic, exploration, ambiguity, nonmonotonic, covington)
}


def recipe_of(name: str) -> Recipe:
    if name not in RECIPES:
        raise OptionError(f"unknown experiment {name!r}; the experiments are: {', '.join(RECIPES)}")
    return RECIPES[name]
