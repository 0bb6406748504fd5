"""Training a teacher: its data, its encoder, and the learner that goes over them again and again."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from dodona.data import Sentence
from dodona.errors import OptionError
from dodona.neural.positions import Positions
from dodona.parser.parser import Parser
from dodona.parser.training import LearnerTraining, NetworkSource, TrainingTrees
from dodona.parser.transformer import TransformerModel, make_pieces, make_table, quantize_parameters
from dodona.tagger.tagger import Tag, list_values
from dodona.transformer.network import TeacherNetwork, TeacherSizes, choose_device
from dodona.transformer.trainer import GoldSentence, TransformerLearner
from dodona.transitions.policy import Policy

__all__ = ["TransformerTraining"]

ITERATIONS = 16, 40  # at least, at most
WORDS = 3_300_000  # words to learn from in all iterations, within these bounds
BATCH = 500, 1500  # words, at least and at most
BATCHES = 60  # of an iteration, within these bounds
THREADS = torch.get_num_threads()  # that PyTorch has chosen, or OMP_NUM_THREADS


class TransformerTraining(LearnerTraining):
    """A pretrained encoder and a small network on top, which learn with PyTorch."""

    def __init__(self, trees: TrainingTrees, source: NetworkSource) -> None:
        words = sum(len(tree.seen.words) for tree in trees.trees)
        super().__init__(trees, trees.options.iterations or _clip(WORDS // max(1, words), ITERATIONS))
        options, teacher = self.options, self.options.transformer
        assert teacher is not None
        if source.encoder is None:
            raise OptionError("a transformer without an encoder; expected the folder of one")
        torch.set_num_threads(THREADS)
        self.teacher, self.positions, self.device = teacher, Positions.load(options.positions), source.device
        self.encoder, weights = source.encoder
        self.tags: list[Tag] = sorted({tag for tree in trees.trees for tag in _tags_of(tree.sentence)})
        kinds = list_values(self.tags)
        sizes = TeacherSizes(
            labels=len(trees.built.label_names),
            actions=trees.built.core.actions,
            positions=len(self.positions.words),
            label_positions=len(self.positions.labels),
            tag_kinds=tuple(map(len, kinds)),
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(options.seed)
            network = TeacherNetwork(self.encoder.config, teacher, sizes)
        network.fill({f"encoder.{name}": values for name, values in weights.items()})
        self.learner = TransformerLearner(
            network.to(choose_device(self.device)),
            self.positions,
            Policy(trees.built.core, options.oracle, longest=trees.longest),
            make_table(make_pieces(self.encoder, network, self.encoder.name), network),
            _gold_sentences(trees, kinds),
            batch=teacher.batch or _clip(words // BATCHES, BATCH),
            iterations=self.planned,
            seed=options.seed,
            random_choice=options.random_choice,
        )
        self.restore(source)

    def parser(self) -> Parser:
        trees = self.trees
        arrays = quantize_parameters(self.learner.weights())
        sizes = len(trees.built.label_names), trees.built.core.actions
        model = TransformerModel(
            self.teacher, self.positions, self.encoder, self.tags, False, arrays, *sizes, "parser",
            device=self.device, threads=None,
        )  # fmt: skip
        return Parser(self.options, trees.labels, model)


def _clip(number: int, bounds: tuple[int, int]) -> int:
    return max(bounds[0], min(bounds[1], number))


def _gold_sentences(trees: TrainingTrees, kinds: Sequence[Sequence[str]]) -> list[GoldSentence]:
    values = [{value: i for i, value in enumerate(kind)} for kind in kinds]
    sentences = []
    for tree in trees.trees:
        tags = [[known[value] for known, value in zip(values, tag, strict=True)] for tag in _tags_of(tree.sentence)]
        numbers = np.array(tags, np.int64).reshape(-1, len(kinds)).T
        sentences.append(GoldSentence(tree.sentence.words, numbers, tree.gold, tree.moves))
    return sentences


def _tags_of(sentence: Sentence) -> Iterator[Tag]:
    return zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)
