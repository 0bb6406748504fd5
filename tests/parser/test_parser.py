"""Training and parsing with every system and policy, on a treebank small enough to learn by heart."""

from pathlib import Path

import pytest
from samples.treebank import treebank

import dodona
from dodona import FormatError, OptionError, Sentence
from dodona.component import TrainingProgress
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import train_parser
from dodona.pipeline.pipeline import Pipeline
from dodona.systems.registry import SYSTEMS

TRAIN, TEST = treebank(120), treebank(40, seed=2)
ORACLES = {
    name: ["nondeterministic", *entry.oracles] if "dynamic" in entry.oracles else list(entry.oracles)
    for name, entry in SYSTEMS.items()
}


def accuracy(parser: Parser, sentences: list[Sentence]) -> float:
    right = total = 0
    for sentence in sentences:
        heads, labels = parser.tree(sentence)
        right += sum(
            (h, l) == (gold_h, gold_l)
            for h, l, gold_h, gold_l in zip(heads, labels, sentence.heads, sentence.labels, strict=True)
        )
        total += len(sentence)
    return right / total


@pytest.mark.parametrize(("name", "oracle"), [(name, oracle) for name in ORACLES for oracle in ORACLES[name]])
def test_every_system_learns_with_every_oracle(name: str, oracle: str) -> None:
    parser = train_parser(TRAIN, ParserOptions(system=name, oracle=oracle, iterations=6))
    assert accuracy(parser, TEST) > 0.97


@pytest.mark.parametrize("update", ["perceptron", "pa", "pa-max-loss"])
def test_every_update_rule_learns(update: str) -> None:
    assert accuracy(train_parser(TRAIN, ParserOptions(update=update, iterations=6)), TEST) > 0.97


@pytest.mark.parametrize(
    "options",
    [
        {"system_options": {"root": "first"}},
        {"system_options": {"root": "attach"}},
        {"system": "nonmonotonic", "system_options": {"moves": "left"}},
        {"system": "nonmonotonic", "system_options": {"reduce_label": "remembered"}},
        {"random_choice": True, "oracle": "nondeterministic"},
        {"explore": 0.0},
        {"explore_after": 0},
    ],
    ids=str,
)
def test_options_of_systems_and_policies(options: dict[str, object]) -> None:
    assert accuracy(train_parser(TRAIN, ParserOptions(iterations=6, **options)), TEST) > 0.97  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["baseline", "head", "path", "head+path", "drop", "keep"])
def test_non_projective_trees(encoding: str) -> None:
    """Crossing arcs come back with every encoding but the baseline, and no decoration is seen."""
    parser = train_parser(TRAIN, ParserOptions(nonprojective=encoding, iterations=6))
    known = {label for sentence in TRAIN for label in sentence.labels}
    score = accuracy(parser, TEST)
    assert score > {"head": 0.99, "path": 0.96, "head+path": 0.99}.get(encoding, 0.9)
    for sentence in TEST:
        assert set(parser.tree(sentence)[1]) <= known


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("single_root", [True, False])
def test_every_output_is_a_tree_whatever_the_model_says(name: str, single_root: bool) -> None:
    """After one sentence of training the model knows nothing."""
    parser = train_parser(TRAIN[:1], ParserOptions(system=name, iterations=1, single_root=single_root))
    strange = [Sentence.from_words([str(i % 7) for i in range(n)]) for n in (1, 2, 3, 10, 60)]
    for sentence in parser.apply(strange):
        sentence.check_gold()
        assert sentence.heads.count(0) >= 1
        if single_root:
            assert sentence.heads.count(0) == 1


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Pipeline(train_parser(TRAIN, ParserOptions(iterations=3))).save(tmp_path / name)
    Pipeline(train_parser(TRAIN, ParserOptions(iterations=3, seed=2))).save(tmp_path / "three")
    one, two, three = ((tmp_path / name).read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


def test_a_parse_does_not_depend_on_its_neighbours() -> None:
    parser = train_parser(TRAIN, ParserOptions(iterations=1))
    forwards = [parser.tree(sentence) for sentence in TEST]
    backwards = [parser.tree(sentence) for sentence in reversed(TEST)]
    assert forwards == backwards[::-1]


def test_a_saved_parser_is_the_same_parser(tmp_path: Path) -> None:
    parser = train_parser(TRAIN, ParserOptions(iterations=2))
    pipeline = Pipeline(parser)
    pipeline.about = {"data": "oaks"}
    pipeline.save(tmp_path / "model")
    assert dodona.load(tmp_path / "model").about == pipeline.about
    loaded = dodona.load(tmp_path / "model").parser
    assert [loaded.tree(sentence) for sentence in TEST] == [parser.tree(sentence) for sentence in TEST]
    assert (loaded.options, loaded.labels) == (parser.options, parser.labels)


@pytest.mark.parametrize(("kinds", "least"), [(30, 150), (60, 300), (150, 700)])
def test_many_labels_take_wider_rows(tmp_path: Path, kinds: int, least: int) -> None:
    """Up to 512, up to 1024 and more actions: 7, 6 and 16 bits are left for a weight."""
    sentences = treebank(300)
    for number, sentence in enumerate(sentences):
        sentence.set_tree(sentence.gold_heads(), [f"{label}{number % kinds}" for label in sentence.labels])
    parser = train_parser(sentences, ParserOptions(iterations=2))
    assert len(parser.labels) > least
    Pipeline(parser).save(tmp_path / "model")
    loaded = dodona.load(tmp_path / "model").parser
    assert [loaded.tree(sentence) for sentence in TEST] == [parser.tree(sentence) for sentence in TEST]


def test_training_can_be_stopped_by_the_callback() -> None:
    seen: list[int] = []

    def callback(progress: TrainingProgress) -> bool:
        seen.append(progress.iteration)
        assert progress.accuracy is not None
        assert 0 < progress.accuracy <= 1
        return progress.iteration == 2

    train_parser(TRAIN, ParserOptions(iterations=9), callback)
    assert seen == [1, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"oracle": "lazy"}, "arc-eager can be trained with static, nondeterministic, dynamic"),
        ({"system": "swap-standard", "oracle": "dynamic"}, "eager, lazy, minimal, nd-sw, nd-all"),
        ({"update": "guess"}, "perceptron, pa, pa-max-loss"),
        ({"nonprojective": "up"}, "baseline, head, path"),
        ({"iterations": 0}, "at least 1"),
        ({"explore": 2.0}, "from 0 to 1"),
        ({"templates": "nonsense"}, "stack-full"),
        ({"system": "arc-lager"}, "the systems are"),
        ({"beam": 0}, "from 1 to 10000"),
        ({"beam": 2.5}, "from 1 to 10000"),
        ({"beam": 1 << 40}, "from 1 to 10000"),
        ({"early_update": True}, "without a beam"),
    ],
    ids=str,
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        dodona.train(TRAIN[:2], **options)  # type: ignore[arg-type]


def relabelled(sentences: list[Sentence], old: str, new: str) -> list[Sentence]:
    for sentence in sentences:
        sentence.set_tree(sentence.gold_heads(), [new if label == old else label for label in sentence.labels])
    return sentences


@pytest.mark.parametrize("name", ["covington", "arc-eager"])
def test_the_root_label_is_the_treebank_s_also_with_development_data(name: str) -> None:
    train_parser, dev = (relabelled(treebank(60, seed=seed), "root", "TOP") for seed in (1, 2))
    options = {"root": "attach"} if name == "arc-eager" else {}
    nlp = dodona.train(train_parser, dev, system=name, system_options=options, components=["parser"], iterations=3)
    assert nlp.parser.scores(dev)[1] > 95


@pytest.mark.parametrize("name", ["covington", "swap-standard", "arc-eager"])
def test_labels_with_arrows_come_out_as_they_are(name: str) -> None:
    sentences = relabelled(treebank(60), "amod", "a↑b")
    assert "a↑b" in {
        label for s in sentences for label in train_parser(sentences, ParserOptions(system=name)).tree(s)[1]
    }


def test_nothing_to_train_on() -> None:
    with pytest.raises(FormatError, match="no sentence"):
        dodona.train([])


def test_gold_heads_are_needed() -> None:
    with pytest.raises(FormatError, match="HEAD"):
        dodona.train([Sentence.from_words(["a", "b"])])


def test_labels_are_needed(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\t\t_\t_\n\n")
    with pytest.raises(FormatError, match=r"a\.conllu:2: word 2 of this sentence has DEPREL ''; expected the name"):
        dodona.train(tmp_path / "a.conllu")


def test_unknown_tags_and_words_are_survived() -> None:
    parser = train_parser(TRAIN, ParserOptions(iterations=1))
    strange = Sentence.from_words(["\N{CRYING FACE}", "x" * 10_000, "\u202eabc"], ["???", "_", "NOUN"])
    strange.set_tree(*parser.tree(strange))
    strange.check_gold()  # a tree
    assert set(strange.labels) <= {label for sentence in TRAIN for label in sentence.labels}


def test_too_many_labels() -> None:
    n = 33_000
    sentence = Sentence.from_words(["x"] * n, heads=[0, *range(1, n)], labels=[f"l{k}" for k in range(n)])
    with pytest.raises(FormatError, match="33000 different labels; with so many, arc-eager has too many actions"):
        train_parser([sentence], ParserOptions(iterations=1))


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "covington"])
def test_a_sentence_of_many_words(name: str) -> None:
    """Covington's parser is quadratic; all others take thousands of words in their stride."""
    parser = train_parser(TRAIN[:20], ParserOptions(system=name, iterations=1))
    words = [word for sentence in TRAIN * 25 for word in sentence.words][:5_000]
    sentence = Sentence.from_words(words)
    heads, labels = parser.tree(sentence)
    sentence.set_tree(heads, labels)
    sentence.check_gold()
    assert heads.count(0) == 1


@pytest.mark.parametrize(("name", "oracle"), [(name, oracle) for name in ORACLES for oracle in ORACLES[name]])
def test_trees_kept_that_cannot_be_built(name: str, oracle: str) -> None:
    """All sentences with crossing arcs, and none lifted: the least cost is followed where nothing is free."""
    parser = train_parser(
        treebank(30, crossing=1.0), ParserOptions(system=name, oracle=oracle, iterations=2, nonprojective="keep")
    )
    assert accuracy(parser, TEST) > 0.3


def test_root_arcs_take_the_label_of_the_treebank() -> None:
    sentences = treebank(20)
    for sentence in sentences:
        labels = ["ROOT" if label == "root" else label for label in sentence.labels]
        sentence.set_tree(sentence.gold_heads(), labels)
    for name, options in (("covington", {}), ("arc-eager", {"root": "attach"}), ("arc-eager", {"root": "first"})):
        parser = train_parser(sentences, ParserOptions(system=name, system_options=options, iterations=3))
        heads, labels = parser.tree(sentences[0])
        assert labels[heads.index(0)] == "ROOT"


def test_a_word_that_stays_headless_gets_the_root_label() -> None:
    """Not the last of the labels, which "root" happens to be in many treebanks."""
    sentences = relabelled(treebank(60), "punct", "zz")
    parser = train_parser(sentences, ParserOptions(system_options={"root": "first"}, iterations=2))
    assert parser.labels[-1] == "zz"
    heads, labels = parser.tree(Sentence.from_words(["\N{CRYING FACE}"]))
    assert (heads, labels) == ([0], ["root"])


def test_templates_must_look_at_what_the_system_has(tmp_path: Path) -> None:
    for name, template, place in [
        ("easy-first", "S0.w", "S0"),
        ("easy-first", "P0.w+dist", "S0"),
        ("arc-eager", "P0.w", "P0"),
    ]:
        (tmp_path / "mine.txt").write_text(template)
        with pytest.raises(OptionError, match=f"templates with the place {place}, which {name} does not have"):
            train_parser(treebank(5), ParserOptions(system=name, templates=str(tmp_path / "mine.txt")))
