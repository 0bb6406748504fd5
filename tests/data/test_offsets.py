"""Where words stand in their text: the text itself must say so."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import Sentence
from dodona.data.rawtext import escaped, located, rebuilt

SPACES = st.text(" \t\n\u3000|\\", max_size=3)
FORMS = st.lists(st.text("abß木", min_size=1, max_size=3), min_size=1, max_size=3)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(tokens=st.lists(st.tuples(FORMS, SPACES, SPACES, SPACES), min_size=1, max_size=5), cut=st.integers(1, 4))
def test_every_word_is_found_where_its_offsets_say(tokens: list[tuple[list[str], str, str, str]], cut: int) -> None:
    """Tokens with all kinds of white space before, inside and after them."""
    words, misc, written = [], [], []
    for parts, before, inside, after in tokens:
        words.append(" ".join(parts))
        written.append((inside or " ").join(parts))
        said = {"SpacesBefore": before, "SpacesAfter": after, "SpacesInToken": written[-1]}
        misc.append("|".join(f"{key}={escaped(value)}" for key, value in said.items()))
    sentences = [Sentence.from_words(words[i : i + cut], misc=misc[i : i + cut]) for i in range(0, len(words), cut)]
    text = rebuilt(sentences)
    found = [text[begin:end] for sentence in located(sentences) for begin, end in sentence.offsets or ()]
    assert found == written
