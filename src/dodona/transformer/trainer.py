"""Training a teacher with PyTorch: batches of sentences, AdamW, averaged weights."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dodona.neural.learner import AVERAGE, BETAS, CLIP, TAG_WEIGHT, NetworkLearner, SilverExamples
from dodona.neural.positions import Positions
from dodona.neural.scorer import Contributions, HiddenLayer
from dodona.transformer.network import TeacherNetwork, step_loss, tag_loss
from dodona.transformer.pieces import LIKE, PieceTable
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy

__all__ = ["GoldSentence", "TransformerLearner"]

WARMUP = 10  # the rate rises during one in so many updates
LOWEST = 0.01  # the share of the rate at the last update
DECAY = 1e-4
LIKE_ON_GPU = 0.2  # padding costs less there than more groups
STATE = ("weights", "first", "second", "averaged")


@dataclass(frozen=True)
class GoldSentence:
    """A sentence with its tags as numbers, and its gold tree."""

    forms: Sequence[str]
    tags: NDArray[np.int64]  # [kinds, words]
    gold: Gold
    moves: "array[int]"

    def __len__(self) -> int:
        return len(self.forms)


class TransformerLearner(NetworkLearner[list[GoldSentence]]):
    """A teacher during training, in batches of so many words."""

    def __init__(
        self, network: TeacherNetwork, positions: Positions, policy: Policy, table: PieceTable,
        examples: Sequence[GoldSentence], *, batch: int, iterations: int, seed: int = 1, random_choice: bool = False,
        silver: SilverExamples | None = None, longest: int = 0,
    ) -> None:  # fmt: skip
        self.network, self.positions, self.table, self.examples = network, positions, table, examples
        self.batch, self.seed, self.silver = batch, seed, silver
        own = [value for name, value in network.named_parameters() if not name.startswith("encoder.")]
        options = network.options
        groups = [
            {"params": list(network.encoder.parameters()), "peak": options.encoder_rate},
            {"params": own, "peak": options.rate},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=0.0, betas=BETAS, weight_decay=DECAY, fused=True)
        self.averaged = {name: value.detach().clone() for name, value in network.named_parameters()}
        self.updates = 0
        self._prepare(policy, iterations, random_choice, longest)

    def batches(self, generator: np.random.Generator) -> Iterator[list[GoldSentence]]:
        return self._fill_batches(self.examples[i] for i in generator.permutation(len(self.examples)))

    def silver_batches(self, number: int, examples: Iterator[GoldSentence]) -> Iterator[list[GoldSentence]]:
        return self._fill_batches(examples)

    def examples_of(self, batch: list[GoldSentence]) -> list[GoldSentence]:
        return batch

    @contextmanager
    def _draw(self, generator: np.random.Generator) -> Iterator[None]:
        self.rollouts.reseed(int(generator.integers(1 << 31)))
        with torch.random.fork_rng():
            torch.manual_seed(int(generator.integers(1 << 31)))
            yield

    def _fill_batches(self, examples: Iterable[GoldSentence]) -> Iterator[list[GoldSentence]]:
        """Yield sentences in batches of so many words; one that is longer is a batch by itself."""
        batch: list[GoldSentence] = []
        words = 0
        for example in examples:
            if batch and words + len(example) > self.batch:
                yield batch
                batch, words = [], 0
            batch.append(example)
            words += len(example)
        if batch:
            yield batch

    def _learn(self, batch: list[GoldSentence], explore: float) -> tuple[float, tuple[int, int]]:
        network = self.network
        network.train()
        like = LIKE if network.device.type == "cpu" else LIKE_ON_GPU
        words, scores = network.encode(self.table.lay_out([example.forms for example in batch], like))
        rows = network.contributions(torch.cat([words, network.ends]))
        gold = torch.from_numpy(np.concatenate([example.tags for example in batch], axis=1)).to(network.device)
        counted = self._walk(batch, rows.detach().float().cpu().numpy(), explore)
        records = (torch.from_numpy(part).to(network.device) for part in self.rollouts.records())
        seen, labels, verdicts, step_of = records
        loss = step_loss(network, rows, seen.long(), labels.long(), verdicts, step_of.long())
        tags = tag_loss(scores, network.sizes.tag_kinds, gold)
        self.optimizer.zero_grad()
        (loss / max(1, counted[0]) + TAG_WEIGHT * tags).backward()
        self._update()
        return loss.item(), counted

    def _walk(self, examples: list[GoldSentence], rows: NDArray[np.float32], explore: float) -> tuple[int, int]:
        """Walk through the sentences of a batch; returns steps and mistakes."""
        self.rollouts.rescore(self._layer())
        first = 0
        for example in examples:
            words = Contributions(len(example), rows, first, len(rows) - 2, len(rows) - 1)
            self.rollouts.follow(words, example.gold, example.moves, explore)
            first += len(example)
        return self.rollouts.count()

    def _update(self) -> None:
        self.updates += 1
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        share = share_of_rate(self.updates, self.planned)
        for group in self.optimizer.param_groups:
            group["lr"] = share * group["peak"]
        self.optimizer.step()
        kept = min(AVERAGE, (1 + self.updates) / (10 + self.updates))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.values()), list(self.network.parameters()), 1 - kept)

    def _layer(self) -> HiddenLayer:
        return HiddenLayer(self.positions, *self.network.layer())

    def state(self, number: int) -> dict[str, NDArray[Any]]:
        """Return everything that training continues from after iteration `number`."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, value in self.network.named_parameters():
            moments = self.optimizer.state.get(value, {})
            zero = torch.zeros_like(value)
            tensors = (value, moments.get("exp_avg", zero), moments.get("exp_avg_sq", zero), self.averaged[name])
            for part, tensor in zip(STATE, tensors, strict=True):
                arrays[f"{part}.{name}"] = tensor.detach().cpu().numpy().reshape(-1).copy()
        return arrays | {"progress": np.array([number, self.updates], dtype=np.int32)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> int:
        """Continue from a state; returns the number of its iteration."""
        number, updates = map(int, state["progress"])
        for name, value in self.network.named_parameters():
            parts = []
            for part in STATE:
                values = state.get(f"{part}.{name}")
                if values is None or values.size != value.numel():
                    raise ValueError(f"the state of another network: {part}.{name} is missing or of another size")
                parts.append(torch.from_numpy(values.reshape(tuple(value.shape)).copy()).to(value.device))
            with torch.no_grad():
                value.copy_(parts[0])
            step = torch.tensor(float(updates), device=value.device)
            self.optimizer.state[value] = {"step": step, "exp_avg": parts[1], "exp_avg_sq": parts[2]}
            self.averaged[name] = parts[3]
        self.updates = updates
        return number

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return the averaged weights."""
        return {name: value.detach().float().cpu().numpy().copy() for name, value in self.averaged.items()}


def share_of_rate(number: int, planned: int) -> float:
    """Return the share of the learning rate at an update, counted from 1: it rises, then falls like a cosine."""
    progress = min(1.0, number / planned)
    fallen = LOWEST + (1 - LOWEST) * 0.5 * (1 + math.cos(math.pi * progress))
    return min(1.0, number * WARMUP / planned) * fallen
