"""Training a teacher: its data, its encoder, and the learner that goes over them again and again."""

from collections.abc import Iterator

import numpy as np
import torch

from dodona.errors import OptionError
from dodona.neural.learner import SilverExamples
from dodona.parser.parser import Parser
from dodona.parser.training import (
    LearnerTraining,
    NetworkSource,
    SilverSource,
    TrainingTree,
    TrainingTrees,
    clip_number,
)
from dodona.parser.transformer import TransformerModel, make_pieces, make_table, quantize_parameters
from dodona.transformer.network import TeacherNetwork, choose_device
from dodona.transformer.trainer import GoldSentence, TransformerLearner

__all__ = ["TransformerTraining"]

ITERATIONS = 16, 40  # at least, at most
WORDS = 3_300_000  # words to learn from in all iterations, within these bounds
BATCH = 500, 1500  # words, at least and at most
BATCHES = 60  # of an iteration, within these bounds
THREADS = torch.get_num_threads()  # that PyTorch has chosen, or OMP_NUM_THREADS


class TransformerTraining(LearnerTraining):
    """A pretrained encoder and a small network on top, which learn with PyTorch."""

    def __init__(self, trees: TrainingTrees, source: NetworkSource, silver: SilverSource | None = None) -> None:
        super().__init__(trees, silver, WORDS, ITERATIONS)
        options, teacher = self.options, self.options.transformer
        assert teacher is not None
        if source.encoder is None:
            raise OptionError("a transformer without an encoder; expected the folder of one")
        torch.set_num_threads(THREADS)
        self.teacher, self.device = teacher, source.device
        self.encoder, weights = source.encoder
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(options.seed)
            network = TeacherNetwork(self.encoder.config, teacher, self.sizes)
        network.fill({f"encoder.{name}": values for name, values in weights.items()})
        self.learner = TransformerLearner(
            network.to(choose_device(self.device)),
            self.positions,
            self.policy,
            make_table(make_pieces(self.encoder, network, self.encoder.name), network),
            [self._make_sentence(tree) for tree in trees.trees],
            batch=teacher.batch or clip_number(trees.words // BATCHES, BATCH),
            iterations=self.planned,
            seed=options.seed,
            random_choice=options.random_choice,
            silver=None if self.silver is None else SilverExamples(self.silver.mixture, self._list_silver),
            longest=self.longest,
        )
        self.restore(source)

    def _list_silver(self, iteration: int) -> Iterator[GoldSentence]:
        assert self.silver is not None
        return map(self._make_sentence, self.silver.of_iteration(iteration))

    def _make_sentence(self, tree: TrainingTree) -> GoldSentence:
        tags = np.array(self.gold_tags.of(tree.sentence), np.int64)
        return GoldSentence(tree.sentence.words, tags, tree.gold, tree.moves)

    def parser(self) -> Parser:
        trees = self.trees
        arrays = quantize_parameters(self.learner.weights())
        sizes = self.sizes.labels, self.sizes.actions
        model = TransformerModel(
            self.teacher, self.positions, self.encoder, self.gold_tags.tags, arrays, *sizes, "parser",
            device=self.device, threads=None,
        )  # fmt: skip
        return Parser(self.options, trees.labels, model)
