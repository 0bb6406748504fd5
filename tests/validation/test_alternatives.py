"""Every alternative of a rule, and every place where it applies: one broken file a rule shows only the first."""

import pytest
from samples.bad_treebanks import enhanced, plain

from dodona.validation import validate_chunks

Found = set[tuple[int, str]]


def findings(data: bytes) -> Found:
    return {(finding.line, finding.rule) for finding in validate_chunks([data], "it", level=2)}


def old(columns: str) -> tuple[str, str]:
    """The word `old` of line 9 with other columns from LEMMA on."""
    return "5\told\told\tADJ\t_\t_\t6\tamod\t_\t_", f"5\told\t{columns}"


RANGE = "2-3\tdoesn't\t_\t_\t_\t_\t_\t_\t_\t_"
SHE = "1\tShe\tshe\tPRON\t_\tCase=Nom|Number=Sing\t4\tnsubj\t_\t_"
EMPTY = "5.1\tsaw\tsee\tVERB\t_\t_\t_\t_\t2:conj\t_"


def ranged(place: int, value: str) -> bytes:
    cells = RANGE.split("\t")
    cells[place] = value
    return plain((RANGE, "\t".join(cells)))


@pytest.mark.parametrize("place", range(2, 9))
def test_no_column_of_a_multiword_token_has_a_value(place: int) -> None:
    assert (5, "mwt-nonempty-field") in findings(ranged(place, "x"))
    assert findings(ranged(place, "Typo=Yes")) == (set() if place == 5 else {(5, "mwt-nonempty-field")})


@pytest.mark.parametrize(("value", "broken"), [("4", "empty-node-nonempty-field"), ("_", None)])
def test_an_empty_node_has_neither_head_nor_relation(value: str, broken: str | None) -> None:
    found = findings(enhanced((EMPTY, EMPTY.replace("_\t_\t_\t_\t2", f"_\t_\t{value}\t_\t2"))))
    assert found == ({(14, broken)} if broken else set())
    assert findings(enhanced((EMPTY, EMPTY.replace("_\t2:conj", "dep\t2:conj")))) == {(14, "empty-node-nonempty-field")}


def test_only_an_empty_node_may_have_no_tag() -> None:
    assert findings(enhanced((EMPTY, EMPTY.replace("VERB", "_")))) == set()
    assert findings(enhanced((EMPTY, EMPTY.replace("VERB", "V")))) == {(14, "unknown-upos")}
    assert findings(plain((SHE, SHE.replace("PRON", "_")))) == {(4, "unknown-upos")}


@pytest.mark.parametrize(
    ("feats", "rules"),
    [
        ("Case=Nom|Number=Sing", ()),
        ("Case[psor]=Nom", ()),
        ("Case=Acc,Nom|Gender[psor]=Fem|Num1=1", ()),
        ("Number=Sing|Case=Nom", ("unsorted-features",)),
        ("case=Nom", ("invalid-feature",)),
        ("Case=nom", ("invalid-feature",)),
        ("Case=", ("invalid-feature",)),
        ("Case", ("invalid-feature",)),
        ("Case=Nom,", ("invalid-feature",)),
        ("Case=Nom|", ("invalid-feature", "unsorted-features")),
        ("Case[Psor]=Nom", ("invalid-feature",)),
        ("Case[]=Nom", ("invalid-feature",)),
        ("Case=Nom|Case=Nom", ("repeated-feature",)),
        ("Case=Acc|Case=Nom", ("repeated-feature",)),
        ("Case=Acc|Case[psor]=Nom", ()),
        ("Case=Nom,Nom", ("repeated-feature-value",)),
        ("Case=Nom,Acc", ("unsorted-feature-values",)),
        ("Case=Acc,NOM", ()),
        ("aspect=Imp|Case=Nom", ("invalid-feature",)),
        ("Abbr=Yes|Case=nom|Number=Sing,Sing", ("invalid-feature", "repeated-feature-value")),
    ],
)
def test_features(feats: str, rules: tuple[str, ...]) -> None:
    for line, row in ((4, SHE), (14, EMPTY)):
        cells = row.split("\t")
        cells[5] = feats
        found = findings((plain if row is SHE else enhanced)((row, "\t".join(cells))))
        assert found == {(line, rule) for rule in rules}


@pytest.mark.parametrize(
    ("deprel", "rule"),
    [
        ("amod", None), ("amod:big", None), ("acl:relcl", None),
        ("Amod", "invalid-deprel"), ("amod:Big", "invalid-deprel"), ("amod:", "invalid-deprel"),
        (":big", "invalid-deprel"), ("amod:big:one", "invalid-deprel"), ("amod:b1g", "invalid-deprel"),
        ("_", "invalid-deprel"), ("am od", "invalid-deprel"),
        ("adj", "unknown-udeprel"), ("adj:amod", "unknown-udeprel"),
        ("ref", "unknown-udeprel"),
    ],
)  # fmt: skip
def test_relations(deprel: str, rule: str | None) -> None:
    found = {each for _, each in findings(plain(old(f"old\tADJ\t_\t_\t6\t{deprel}\t_\t_")))}
    assert found - {"invalid-whitespace"} == ({rule} if rule else set())


@pytest.mark.parametrize(
    ("deps", "rule"),
    [
        ("0:root|1:conj", None), ("0:root|1:conj:and", None), ("0:root|1:ref", None), ("0:root|1:obl:auf:acc", None),
        ("0:root|1:obl:arg:auf:acc", None), ("0:root|1:obl:во_время", None), ("0:root|1:obl:во:acc", None),
        ("0:root|1:obl:arg:auf:acc:x", "invalid-edeprel"), ("0:root|1:obl:Auf", "invalid-edeprel"),
        ("0:root|1:obl:во:acc:x", "invalid-edeprel"), ("0:root|1:obl:a:b:во", "invalid-edeprel"),
        ("0:root|1:obl:во_", "invalid-edeprel"), ("0:root|1:obl:_во", "invalid-edeprel"),
        ("0:root|1:obl:во:Acc", "invalid-edeprel"), ("0:root|1:Obl", "invalid-edeprel"),
        ("0:root|1:adj", "unknown-eudeprel"), ("0:root|1:adj:and", "unknown-eudeprel"),
        ("1:conj|0:root", "unsorted-deps"), ("0:root|1:obj|1:conj", "unsorted-deps"),
        ("0:root|1:conj|1:conj", "repeated-deps"), ("0:root|3:conj", "deps-self-loop"),
        ("0:root|4:conj", "unknown-ehead"), ("0:root|1.1:conj", "unknown-ehead"),
        ("0:root|01:conj", "invalid-ehead"), ("0:root|1.0:conj", "invalid-ehead"), ("0:root|x:conj", "invalid-ehead"),
        ("0:root|1.:conj", "invalid-ehead"), ("0:root|1", "invalid-deps"), ("2:conj", "unconnected-egraph"),
    ],
)  # fmt: skip
def test_enhanced_relations(deps: str, rule: str | None) -> None:
    found = {each for _, each in findings(enhanced(("0:root|1:conj:and", deps)))}
    assert found == ({rule} if rule else set())


def test_heads_of_deps_are_sorted_by_number() -> None:
    rows = [f"{k}\tw\tw\tNOUN\t_\t_\t{0 if k == 1 else 1}\t{'root' if k == 1 else 'dep'}" for k in range(1, 12)]
    for deps, sound in (("2:dep|10:dep", True), ("10:dep|2:dep", False), ("2:dep|2.1:dep|10:dep", True)):
        lines = [f"{row}\t{'0:root' if k == 0 else '1:dep'}\t_" for k, row in enumerate(rows)]
        lines[2] = f"{rows[2]}\t{deps}\t_"
        lines.insert(2, "2.1\tw\tw\tNOUN\t_\t_\t_\t_\t1:dep\t_")
        text = f"# sent_id = x\n# text = {' '.join('w' * 11)}\n" + "\n".join(lines) + "\n\n"
        assert findings(text.encode()) == (set() if sound else {(6, "unsorted-deps")})


@pytest.mark.parametrize(
    ("head", "rules"),
    [
        ("6", ()), ("0", ("multiple-roots",)), ("5", ("head-self-loop",)), ("7", ()), ("8", ("unknown-head",)),
        ("-1", ("invalid-head",)), ("_", ("invalid-head",)), ("06", ("invalid-head",)), ("6.1", ("invalid-head",)),
        ("x", ("invalid-head",)), ("٦", ("invalid-head",)),
    ],
)  # fmt: skip
def test_heads(head: str, rules: tuple[str, ...]) -> None:
    assert findings(plain(old(f"old\tADJ\t_\t_\t{head}\tamod\t_\t_"))) == {(9, rule) for rule in rules}


def test_cycles_of_every_length() -> None:
    assert {
        rule for _, rule in findings(plain(("6\toaks\toak\tNOUN\t_\tNumber=Plur\t4", "6\toaks\toak\tNOUN\t_\t_\t5")))
    } == {"non-tree"}
    assert {rule for _, rule in findings(plain(("4\tsee\tsee\tVERB\t_\t_\t0", "4\tsee\tsee\tVERB\t_\t_\t7")))} == {
        "non-tree"
    }


@pytest.mark.parametrize(
    ("misc", "rules"),
    [
        ("SpaceAfter=No|SpaceAfter=No", ("repeated-misc",)),
        ("Gloss=a|Gloss=b", ("repeated-misc",)),
        ("Other=a|Other=b", ()),
        ("SpaceAfter=Yes", ("spaceafter-value",)),
        ("SpaceAfter=no", ("spaceafter-value",)),
        ("NoSpaceAfter=Yes", ("nospaceafter-yes",)),
        ("A=b|NoSpaceAfter=Yes", ("nospaceafter-yes",)),
        ("A=b|SpaceAfter=Yes", ("spaceafter-value",)),
    ],
)
def test_misc_of_words_ranges_and_empty_nodes(misc: str, rules: tuple[str, ...]) -> None:
    beside = {"text-form-mismatch", "missing-spaceafter", "text-extra-chars", "spaceafter-empty-node"}
    for line, row in ((4, SHE), (5, RANGE), (14, EMPTY)):
        cells = row.split("\t")
        cells[9] = misc
        found = findings((enhanced if row is EMPTY else plain)((row, "\t".join(cells))))
        assert {each for each in found if each[1] not in beside} == {(line, rule) for rule in rules}


ONCE = ("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref")


@pytest.mark.parametrize("name", [*ONCE, "Other", "GlossB"])
def test_attributes_that_stand_once(name: str) -> None:
    """Those that UD documents; others may be repeated."""
    found = {rule for _, rule in findings(plain(old(f"old\tADJ\t_\t_\t6\tamod\t_\t{name}=a|X=b|{name}=c")))}
    assert ("repeated-misc" in found) == (name in ONCE)


def test_spaces_after_what_has_none_in_the_text() -> None:
    assert findings(enhanced((EMPTY, EMPTY[:-1] + "SpaceAfter=No"))) == {(14, "spaceafter-empty-node")}
    for line, word in (
        (6, "2\tdoes\tdo\tAUX\t_\t_\t4\taux\t_\t"),
        (7, "3\tn't\tnot\tPART\t_\tPolarity=Neg\t4\tadvmod\t_\t"),
    ):
        assert findings(plain((word + "_", word + "SpaceAfter=No"))) == {(line, "spaceafter-mwt-node")}
    assert findings(plain((SHE, SHE[:-1] + "SpaceAfter=No"))) == {(5, "text-form-mismatch")}
    assert findings(plain((SHE, SHE[:-1] + "SpaceAfter=Not"))) == {(4, "spaceafter-value")}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("She doesn't see old oaks .", {(10, "text-form-mismatch"), (11, "text-form-mismatch")}),
        ("She doesn't seeold oaks.", {(8, "missing-spaceafter")}),
        ("She doesn't see old oaks. Yes", {(4, "text-extra-chars")}),
        ("She doesn't see young oaks.", {(9, "text-form-mismatch")}),
        ("She doesn't see old oaks. ", {(4, "text-trailing-whitespace")}),
        ("She doesn't see  old oaks.", set()),
        ("she doesn't see old oaks.", {(4, "text-form-mismatch")}),
        ("", {(4, "empty-text"), (4, "text-form-mismatch")}),
    ],
)
def test_texts(text: str, rules: Found) -> None:
    found = findings(plain(("# text = She doesn't see old oaks.", f"# text = {text}")))
    kinds = {rule for _, rule in rules}
    assert {rule for _, rule in found} <= kinds
    assert found <= rules
    assert len(found) >= min(1, len(rules))


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\u3000", "  "])
def test_a_text_ends_with_no_blank_of_any_kind(blank: str) -> None:
    data = plain(("# text = The o ak.", f"# text = The o ak.{blank}"))
    assert {rule for _, rule in findings(data)} == {"text-trailing-whitespace"}


@pytest.mark.parametrize(
    ("comments", "rules"),
    [
        ("# sent_id = two\n# parallel_id = tales/2", set()),
        ("# sent_id = two/x\n# parallel_id = tales/2", set()),
        ("# sent_id = two/x/y\n# parallel_id = tales/2", {"slash-in-sent-id"}),
        ("# sent_id = one", {"non-unique-sent-id"}),
        ("# sent_id = two three", {"invalid-sent-id", "missing-sent-id"}),
        ("#sent_id two", {"invalid-sent-id", "missing-sent-id"}),
        ("# sent_id = two\n# sent_id = three", {"multiple-sent-id"}),
        ("# sent_id = two\n# parallel_id = tales", {"invalid-parallel-id"}),
        ("# sent_id = two\n# parallel_id = Tales/2", {"invalid-parallel-id"}),
        ("# sent_id = two\n# parallel_id = tales/2/", {"invalid-parallel-id"}),
        ("# sent_id = two\n# parallel_id = tales/2/alt0", {"invalid-parallel-id"}),
        ("# sent_id = two\n# parallel_id = tales/2/alt1", set()),
        ("# sent_id = two\n# parallel_id = tales/2/part1", set()),
        ("# sent_id = two\n# parallel_id = tales/2/alt1part1", set()),
        ("# sent_id = two\n# parallel_id = tales/2/part1alt1", {"invalid-parallel-id"}),
        ("# sent_id = two\n# parallel_id = tales/2/alt2", {"parallel-id-sequence"}),
        ("# sent_id = two\n# parallel_id = tales/2/part2", {"parallel-id-sequence"}),
        ("# sent_id = two\n# parallel_id = tales/2\n# parallel_id = tales/3", {"multiple-parallel-id"}),
        ("# newdoc\n# newdoc x\n# sent_id = two", {"multiple-newdoc"}),
        ("# newpar\n# newpar x\n# sent_id = two", {"multiple-newpar"}),
        ("# newdoc\n# newpar\n# sent_id = two", set()),
        ("# newpar = x\n# newpar\n# sent_id = two", set()),
    ],
)
def test_names_of_sentences(comments: str, rules: set[str]) -> None:
    found = {rule for _, rule in findings(plain(("# sent_id = two\n# parallel_id = tales/2", comments)))}
    assert found == rules


@pytest.mark.parametrize(
    ("last", "begins", "broken"),
    [("SpaceAfter=No", "# newpar\n", True), ("SpaceAfter=No", "# newdoc x\n", True), ("SpaceAfter=No", "", False),
     ("_", "# newpar\n", False), ("A=SpaceAfter=No", "# newpar\n", False), ("A=b|SpaceAfter=No", "# newpar\n", True)],
)  # fmt: skip
def test_a_paragraph_begins_after_a_space(last: str, begins: str, broken: bool) -> None:
    end = "13\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t"
    found = findings(plain((f"{end}_", end + last), ("# newpar\n", begins)))
    assert {rule for _, rule in found} == ({"spaceafter-newdocpar"} if broken else set())


@pytest.mark.parametrize(
    ("token", "word", "empty", "rules"),
    [
        ("SpaceAfter=No", "_", "_", {"spaceafter-newdocpar"}),
        ("_", "_", "_", set()),
        ("_", "SpaceAfter=No", "_", {"spaceafter-mwt-node"}),
        ("_", "_", "SpaceAfter=No", {"spaceafter-empty-node"}),
    ],
)
def test_the_last_token_says_what_is_after_it(token: str, word: str, empty: str, rules: set[str]) -> None:
    """A multiword token, and neither its words nor an empty node."""
    wood, end = "12\twood\twood\tNOUN\t_\t_\t3\tobl\t_\t", "13\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t"
    whole = "12-13\twood." + "\t_" * 7 + f"\t{token}\n{wood}_"
    last = f"{end}{word}\n13.1\tblew\tblow\tVERB" + "\t_" * 5 + f"\t{empty}"
    found = {rule for _, rule in findings(plain((f"{wood}SpaceAfter=No", whole), (f"{end}_", last)))}
    assert found - {"edeps-only-sometimes", "unconnected-egraph"} == rules


def test_numbers_of_parallel_sentences_go_on() -> None:
    def check(*numbers: str) -> set[str]:
        text = "".join(
            f"# sent_id = {k}\n# parallel_id = tales/1{number}\n# text = w\n1\tw\tw\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
            for k, number in enumerate(numbers)
        )
        return {rule for _, rule in findings(text.encode())}

    assert check("/alt1", "/alt2", "/alt3") == set()
    assert check("/part1", "/part2") == set()
    assert check("/alt1part1", "/alt2part2") == set()
    for wrong in (("/alt1", "/alt3"), ("/alt1", "/part2"), ("/part1", "/part3"), ("/alt1", ""), ("", "/alt1")):
        assert check(*wrong) == {"parallel-id-sequence"}
    assert check("", "") == {"non-unique-parallel-id"}


def test_graphs_in_all_sentences_or_in_none() -> None:
    bare = b"# sent_id = six\n# text = w\n1\tw\tw\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    again = bare.replace(b"six", b"seven")
    first = enhanced().partition(b"\n\n")[0] + b"\n\n"
    assert findings(first + bare + again) == {(9, "edeps-only-sometimes")}  # once
    assert findings(bare + again + first) == {(11, "edeps-only-sometimes")}
    second = first.replace(b"four", b"five")
    for data, expected in ((bare + again + first, "none"), (first + second + bare, "some")):
        (finding,) = validate_chunks([data], "it", level=2)
        assert finding.expected == f"{expected}, as in the sentence of line 3"  # the first of them
    assert findings(bare + again) == findings(first) == set()


# Level 1


@pytest.mark.parametrize("place", range(1, 10))
def test_empty_columns_and_blanks_wherever_they_are(place: int) -> None:
    cells = ["5", "old", "old", "ADJ", "_", "_", "6", "amod", "_", "_"]
    name_of = {1: "form", 2: "lemma", 9: "misc"}
    before = "\t".join(cells)

    def change(value: str) -> set[str]:
        other = [*cells[:place], value, *cells[place + 1 :]]
        return {rule for line, rule in findings(plain((before, "\t".join(other)))) if line == 9}

    assert "empty-column" in change("")
    inside = change("a b")
    if place in name_of:
        assert not {"invalid-whitespace", "leading-whitespace", "trailing-whitespace", "repeated-whitespace"} & inside
        assert "leading-whitespace" in change(" a")
        assert "trailing-whitespace" in change("a\u00a0")
        assert "repeated-whitespace" in change("a \u00a0b")
    else:
        assert "invalid-whitespace" in inside


@pytest.mark.parametrize(("place", "rule"), [(1, "invalid-whitespace-mwt"), (2, "invalid-whitespace-mwt"), (9, None)])
def test_blanks_in_a_multiword_token(place: int, rule: str | None) -> None:
    found = {each for line, each in findings(ranged(place, "a b")) if "whitespace" in each}
    assert found == ({rule} if rule else set())


@pytest.mark.parametrize(
    ("old_text", "new", "rules"),
    [
        ("\n5\told", "\n6\told", {"word-id-sequence"}),
        ("\n5\told", "\n05\told", {"invalid-word-id"}),
        ("\n5\told", "\n5x\told", {"invalid-word-id"}),
        ("\n1\tShe", "\n2\tShe", {"word-id-sequence"}),
        ("\n2-3\t", "\n3-2\t", {"reversed-word-interval", "misplaced-word-interval"}),
        ("\n2-3\t", "\n2-2\t", {"reversed-word-interval"}),
        ("\n2-3\t", "\n1-3\t", {"misplaced-word-interval"}),
        ("\n2-3\t", "\n2-9\t", {"word-interval-out"}),
        (
            "\n5\told",
            f"\n3-5\told{chr(9)}{chr(9).join('_' * 8)}\n5\told",
            {"misplaced-word-interval", "overlapping-word-intervals"},
        ),
    ],
)
def test_numbers_of_words_and_intervals(old_text: str, new: str, rules: set[str]) -> None:
    assert {rule for _, rule in findings(plain((old_text, new)))} - {"text-form-mismatch"} == rules


@pytest.mark.parametrize(
    ("number", "rules"), [("5.1", set()), ("5.2", {"misplaced-empty-node"}), ("4.1", {"misplaced-empty-node"})]
)
def test_numbers_of_empty_nodes(number: str, rules: set[str]) -> None:
    data = enhanced((EMPTY, EMPTY.replace("5.1", number, 1)))
    assert {rule for _, rule in findings(data)} - {"unknown-ehead", "unconnected-egraph"} == rules


def test_line_ends_of_every_kind() -> None:
    first = plain(("# newdoc\n", "# newdoc\r\n"))
    assert findings(first) == {(1, "non-unix-newline")}
    blank = plain(("\n\n# sent_id = two", "\n\r\n# sent_id = two"))
    assert findings(blank) == {(12, "non-unix-newline")}
    inside = plain(("old\tADJ", "ol\rd\tADJ"))
    assert {rule for _, rule in findings(inside)} >= {"lone-return"}
