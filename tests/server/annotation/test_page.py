"""The page of `dodona annotate` in a real browser: the whole loop with the mouse, and with the keyboard alone.

All of it is one test with one browser and one server; scenarios have sentences of their own.
"""

import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from samples.browser import Page, browser, why_no_browser
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

import dodona

pytestmark = pytest.mark.skipif(why_no_browser() is not None, reason=why_no_browser() or "")

MOUSE, KEYBOARD, TOKENS, SPLIT = "The wind moves", "The priests", "Oak trees", "The leaves"  # how sentences begin
SHARED, LOST, MARKUP, LONG, RIGHT_TO_LEFT, SUSPECT = "She", "He reads", "<img", "Although", "הרוח", "The kings"
TEXT = """The wind moves the leaves of the old oak.

The priests sleep under the trees near the river.

Oak trees grow very slowly here.

The leaves fall and the wind blows.

She hears the oracle.

He reads the old books.

The kings saw the oracle near the oaks.

<img src=x onerror="document.title='taken'"> speaks.

Although the committee that the king had appointed in spring had not yet finished the report which everybody in the town
was waiting for, the priests who lived under the oak decided, without asking anybody, that the oracle would speak again
as soon as the leaves began to rustle in the wind of the evening above the sleeping village.
"""
MANY = 400  # sentences that are done already, before the others
HEBREW = ["הרוח", "מזיזה", "את", "העלים"]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    treebank = tmp_path / "treebank"
    treebank.mkdir()
    (tmp_path / "oaks.txt").write_text(TEXT, encoding="utf-8")
    columns = zip(HEBREW, ("NOUN", "VERB", "ADP", "NOUN"), (2, 0, 4, 2), ("nsubj", "root", "case", "obj"), strict=True)
    rows = [f"{k}\t{w}\t_\t{u}\t_\t_\t{h}\t{r}\t_\t_" for k, (w, u, h, r) in enumerate(columns, start=1)]
    lines = ["# sent_id = wind", f"# text = {' '.join(HEBREW)}", *rows, "", ""]
    (treebank / "wind.conllu").write_text("\n".join(lines), encoding="utf-8")
    more = [f"# sent_id = m{k}\n1\tTree\ttree\tNOUN\t_\t_\t0\troot\t_\t_\n2\t{k}\t{k}\tNUM\t_\t_\t1\tnummod\t_\t_\n\n"
            for k in range(1, MANY + 1)]  # fmt: skip
    (treebank / "many.conllu").write_text("".join(more), encoding="utf-8")
    command = [sys.executable, "-m", "dodona", "annotate", str(treebank), "--model", "en-fast", "--name", "ana"]
    command += ["--text", str(tmp_path / "oaks.txt"), "--port", "0"]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        told = next((line for line in server.stderr if "http://" in line), "")
        (address,) = re.findall(r"http://[^/\s]+/", told)
        with browser(tmp_path) as driver:
            yield Page(driver, address, tmp_path)
    finally:
        server.terminate()
        server.communicate(timeout=60)


def test_all_keys_are_documented() -> None:
    root = Path(__file__).parents[3]
    listed = re.findall(r'shown: "([^"]+)"', (root / "src/dodona/server/annotation/page/keys.js").read_text("utf-8"))
    rows = re.findall(r"^\| ([^|]+) \|", (root / "docs/annotating.md").read_text("utf-8"), re.MULTILINE)
    documented = {key for row in rows for key in row.split(", ")}
    assert {key for keys in listed for key in keys.split(", ")} <= documented


@pytest.mark.timeout(360)  # a busy machine may be slow
def test_the_page(page: Page, tmp_path: Path) -> None:
    failures = []
    for scenario in SCENARIOS:
        try:
            scenario(page)
            assert [fault for fault in page.faults() if "409" not in fault and "DISCONNECTED" not in fault] == []
        except Exception:
            failures.append(f"{scenario.__name__}\n{traceback.format_exc()}")
            page.driver.save_screenshot(str(tmp_path / f"{scenario.__name__}.png"))
    assert not failures, f"pictures are in {tmp_path}\n\n" + "\n".join(failures)


FIND = """const [beginning, done] = arguments;
    fetch("api/queue", {method: "POST", headers: {"Content-Type": "application/json"},
      body: JSON.stringify({order: "file", sentence: 400, count: 500})}).then((answer) => answer.json())
      .then(({items}) => done(items.find(({text}) => text.startsWith(beginning)).sentence));"""


def open_sentence(page: Page, beginning: str, width: int = 1280, dark: bool = False) -> int:
    """Open the sentence that begins so; returns its number in the project."""
    if page.address not in page.driver.current_url:
        page.open("", width, dark)
    number: int = page.driver.execute_async_script(FIND, beginning)
    page.open(f"#{number}/file", width, dark)
    page.until(lambda: page.text(".sentence h2").startswith(beginning) and page.all(".sentence .tree"))
    until_saved(page)
    return number


def until_saved(page: Page) -> None:
    page.until(lambda: page.text("#saved") == "✓ Saved")


def word(number: int) -> str:
    return f".sentence .word[data-word='{number}'] .form"


def arc(number: int, part: str = "") -> str:
    return f".sentence .arc[data-word='{number}']:not(.other) {part}".strip()


def head(page: Page, number: int) -> int:
    return int(page.run("return document.querySelector(arguments[0]).dataset.head", arc(number)))


def forms(page: Page) -> list[str]:
    return page.texts(".sentence .word .form")


def field(page: Page, label: str) -> WebElement:
    """The text field below a label."""
    fits = "node.textContent.startsWith(arguments[1])"
    script = f"return [...document.querySelectorAll(arguments[0])].find((node) => {fits}).querySelector('input')"
    found: WebElement = page.run(script, ".word-form .field", label)
    return found


def heading(page: Page) -> str:
    return page.text(".sentence h2")


def chosen(page: Page) -> str:
    return page.text(".word-form strong")


def write(page: Page, text: str) -> None:
    """Write into the field that has the focus, in place of what is there."""
    page.until(lambda: page.run("return document.activeElement.matches('.completion input')"))
    page.press("a", Keys.CONTROL)
    page.type(text, Keys.ENTER)


def the_loop_with_the_mouse(page: Page) -> None:
    number = open_sentence(page, MOUSE)
    assert "open" in page.text(".badge")
    assert head(page, 9) == 5
    page.drag(page.one(word(9)), page.one(word(3)))
    page.until(lambda: head(page, 9) == 3)
    assert page.text(arc(9, ".note")) == "✎"
    page.one(word(5)).click()
    assert chosen(page) == "5 leaves"
    field(page, "Relation").click()
    page.until(lambda: page.all(".choices li"))
    shares = [int(share.rstrip("%")) for share in page.texts(".choices small")]
    assert shares == sorted(shares, reverse=True)
    page.type("ob")
    page.until(lambda: page.texts(".choices li span")[0].startswith("ob"))
    page.run(
        "const all = [...document.querySelectorAll('.choices li')].filter((item) => item.checkVisibility());"
        "all.find((item) => item.firstChild.textContent === 'obl')"
        ".dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, cancelable: true}))"
    )
    page.until(lambda: page.text(arc(5, ".label")).startswith("obl"))
    for label, value, shown in (("UPOS", "PROPN", ".tag"), ("Lemma", "leafage", ".lemma")):
        field(page, label).click()
        write(page, value)
        page.until(lambda value=value, shown=shown: value in page.text(f".word[data-word='5'] {shown}"))  # type: ignore[misc]
    page.click("Split", ".sentence")
    page.click("Split", "dialog")
    page.until(lambda: forms(page)[4:6] == ["lea", "ves"])
    page.click("Undo", ".sentence")
    page.until(lambda: forms(page)[4] == "leaves")
    assert "leafage" in page.text(".word[data-word='5'] .lemma")
    page.click("Accept the sure", ".sentence")
    page.until(lambda: "✓" in page.texts(".sentence .arc .note"))
    until_saved(page)
    page.click("Done, next", ".sentence")
    page.until(lambda: forms(page)[1] == "priests")
    assert page.text(".queue li:nth-child(1) .sign") == "✓"
    page.open(f"#{number}/file", fresh=True)
    page.until(lambda: page.text(".badge") == "done")
    assert head(page, 9) == 3, "what was shown as saved is there after a reload"
    assert "obl" in page.text(arc(5, ".label"))
    assert "PROPN" in page.text(".word[data-word='5'] .tag")
    assert "leafage" in page.text(".word[data-word='5'] .lemma")
    page.click("Reopen", ".sentence")
    page.until(lambda: "open" in page.text(".badge"))
    assert page.run("return document.activeElement.matches('.frame')"), (
        "a button that is gone leaves its keys to the tree"
    )
    page.press("z", Keys.CONTROL)
    page.until(lambda: page.text(".badge") == "done")


def the_loop_by_keyboard_alone(page: Page) -> None:
    number = open_sentence(page, KEYBOARD)
    page.type(*[Keys.ARROW_RIGHT] * 5)
    assert chosen(page) == "6 trees"
    before = head(page, 6)
    target = 2 if before != 2 else 3
    way = Keys.ARROW_LEFT if target < before else Keys.ARROW_RIGHT
    page.type(Keys.ENTER)
    for _ in range(20):
        at = page.run("return Number(document.querySelector('.word.target')?.dataset.word ?? 0)")
        if at == target:
            break
        page.type(way)
    page.type(Keys.ENTER)
    page.until(lambda: head(page, 6) == target)
    for key, value, shown in (("l", "nmod:mine", arc(6, ".label")), ("u", "X", ".word[data-word='6'] .tag")):
        page.type(key)
        write(page, value)
        page.until(lambda value=value, shown=shown: value in page.text(shown))  # type: ignore[misc]
    page.type("m")
    page.until(lambda: page.all(".choices li"))
    page.press("a", Keys.CONTROL)
    page.type("arbor", Keys.ENTER)
    page.until(lambda: "arbor" in page.text(".word[data-word='6'] .lemma"))
    page.type("f", Keys.ARROW_DOWN, Keys.ENTER)
    until_saved(page)
    page.type("s")
    page.until(lambda: page.all("dialog"))
    page.type(Keys.ARROW_LEFT, Keys.ENTER)
    page.until(lambda: forms(page)[5:7] == ["tr", "ees"])
    page.press("z", Keys.CONTROL)
    page.until(lambda: forms(page)[5] == "trees")
    page.press("y", Keys.CONTROL)
    page.until(lambda: forms(page)[5] == "tr")
    page.press("z", Keys.CONTROL)
    page.until(lambda: forms(page)[5] == "trees")
    page.type(Keys.HOME, "c")
    page.until(lambda: page.text(arc(1, ".note")) == "✓")
    page.type("d")
    notes = page.texts(".sentence .arc .note")
    shares = [int(note.rstrip("%")) for note in notes if note.endswith("%")]
    assert page.text(".sentence .arc.chosen .note") == f"{min(shares)}%", "the most doubtful one"
    page.type("g")
    page.until(lambda: page.text(".sentence .arc.chosen .note") == "✓")
    page.type("g")
    page.until(lambda: page.text(".sentence .arc.chosen .note") == f"{min(shares)}%")
    page.type("u")
    page.until(lambda: page.run("return document.activeElement.matches('.completion input')"))
    page.type("Y", Keys.ESCAPE)
    assert page.run("return document.activeElement.matches('.frame')"), "Escape leaves a field as it was"
    page.type("a")
    until_saved(page)
    page.press(Keys.ENTER, Keys.CONTROL)
    page.until(lambda: forms(page)[0] == "Oak")
    page.type("p")
    page.until(lambda: forms(page)[1] == "priests")
    page.driver.refresh()
    page.until(lambda: page.text(".badge") == "done")
    assert page.run("return location.hash") == f"#{number}/file"
    assert head(page, 6) == target
    assert "nmod:mine" in page.text(arc(6, ".label"))
    assert "arbor" in page.text(".word[data-word='6'] .lemma")
    page.press("?", Keys.SHIFT)
    assert "Ctrl+Enter" in page.until(lambda: page.text("dialog kbd"))
    page.type(Keys.ESCAPE)
    page.until(lambda: not page.all("dialog"))


def what_is_typed_is_completed(page: Page) -> None:
    """To the most likely relation that begins so, also if Enter is faster than the server; not after Backspace."""
    open_sentence(page, MARKUP)
    completed = (("nsu", "nsubj"), ("obl", "obl"), ("nmo", "nmod(:poss)?"), (f"nsubj{Keys.BACKSPACE}", "nsub"))
    for keys, label in completed:  # which kind of nmod is the most likely one, the model decides
        page.type("l")
        page.until(lambda: page.run("return document.activeElement.matches('.completion input')"))
        page.type(keys, Keys.ENTER)
        page.until(lambda label=label: re.fullmatch(f"{label}✎", page.text(arc(1, ".label"))))  # type: ignore[misc]
        until_saved(page)
    for keys, tag in (("prop", "PROPN"), ("noun", "NOUN")):
        page.type("u")
        page.until(lambda: page.all(".choices li"))
        page.type(keys)
        assert page.run("return document.activeElement.value") == tag
        page.type(Keys.ENTER)
        page.until(lambda tag=tag: page.text(".word[data-word='1'] .tag").startswith(tag))  # type: ignore[misc]
    until_saved(page)


def tokens_and_sentences_are_divided_and_joined(page: Page) -> None:
    open_sentence(page, TOKENS)
    assert forms(page)[:2] == ["Oak", "trees"]
    page.type("b")
    page.until(lambda: page.all("dialog"))
    page.press("a", Keys.CONTROL)
    page.type("Oaktrees", Keys.ENTER)
    assert page.until(lambda: page.text(".sentence .multiword")) == "Oaktrees"
    page.type("b")
    page.until(lambda: not page.all(".sentence .multiword"))
    page.type("j")
    page.until(lambda: len(forms(page)) == 6)
    page.press("z", Keys.CONTROL)
    page.until(lambda: forms(page)[:2] == ["Oak", "trees"])
    open_sentence(page, SPLIT)
    many = len(page.all(".queue li"))
    page.type(*[Keys.ARROW_RIGHT] * 3)
    assert chosen(page) == "4 and"
    page.press("s", Keys.SHIFT)
    page.until(lambda: forms(page) == ["The", "leaves", "fall"])
    page.until(lambda: len(page.all(".queue li")) == many + 1)
    page.press("j", Keys.SHIFT)
    page.until(lambda: len(forms(page)) == 8)
    page.until(lambda: len(page.all(".queue li")) == many)


ACT = """const [sentence, version, action, done] = arguments;
    fetch("api/act", {method: "POST", headers: {"Content-Type": "application/json"},
      body: JSON.stringify({sentence, version, page: "another", action})})
      .then((answer) => answer.json()).then(done);"""
OPEN = """const [sentence, done] = arguments;
    fetch("api/open", {method: "POST", headers: {"Content-Type": "application/json"},
      body: JSON.stringify({sentence, page: "another"})}).then((answer) => answer.json()).then(done);"""


WORDS = "return [...document.querySelectorAll(arguments[0])].map((arc) => arc.dataset.word)"


def the_threshold_says_what_is_open(page: Page) -> None:
    open_sentence(page, LONG)
    counts = []
    for threshold in ("0.5", "0.9", "0.99"):
        page.choose("Open below", threshold)
        (count,) = re.findall(r"(\d+) open", page.text(".badge"))
        shares = [int(note.rstrip("%")) for note in page.texts(".sentence .arc.open .note")]
        assert max(shares, default=0) <= 100 * float(threshold)
        others = [int(note.rstrip("%")) for note in page.texts(".sentence .arc.accepted .note")]
        assert min(others, default=100) >= 100 * float(threshold)
        counts.append(int(count))
    assert counts == sorted(set(counts))
    page.choose("Open below", "0.9")
    sure, unsure = (set(page.run(WORDS, f".sentence .arc.{kind}")) for kind in ("accepted", "open"))
    page.type("a")
    page.until(lambda: set(page.run(WORDS, ".sentence .arc.given")) == sure)
    assert unsure, "what is less sure is not accepted"


def somebody_else_is_noticed(page: Page) -> None:
    number = open_sentence(page, SHARED)
    view = page.driver.execute_async_script(OPEN, number)
    page.run("dispatchEvent(new Event('focus'))")
    assert "open in another page" in page.until(lambda: page.text(".sentence .message"))
    action = {"kind": "arc", "word": 3, "head": 2, "label": "det"}
    assert page.driver.execute_async_script(ACT, number, view["version"], action)["version"] > view["version"]
    page.type("u")
    write(page, "X")
    assert "upos X" in page.until(lambda: page.text("#messages .fault")), "what was typed is not lost"
    assert page.text(arc(3, ".note")) == "✎", "and what the other one did is shown"
    assert "X" not in page.text(".word[data-word='1'] .tag")
    page.click("Do it here, too", "#messages")
    page.until(lambda: "X" in page.text(".word[data-word='1'] .tag") and not page.all("#messages .fault"))


GUESS = """const ask = window.fetch;
    window.fetch = async (url, options) => {
      const answer = await ask(url, options);
      if (!url.endsWith("open")) return answer;
      window.fetch = ask;
      const view = await answer.json();
      view.words[0].label = "invented";
      return Response.json({...view, digest: "another"});
    };
    dispatchEvent(new Event("focus"));"""


def only_what_is_seen_is_approved_of(page: Page) -> None:
    """When another model guesses, its guesses are shown; and none is confirmed in place of another one."""
    open_sentence(page, SPLIT)
    label = page.text(arc(1, ".label"))
    page.run(GUESS)
    page.until(lambda: page.text(arc(1, ".label")).startswith("invented"))
    page.type("g")
    assert "(confirm) was not made" in page.until(lambda: page.text("#messages .fault"))
    assert page.text(arc(1, ".label")) == label
    page.type("g")
    page.until(lambda: page.text(arc(1, ".note")) == "✓")
    page.press("z", Keys.CONTROL)
    page.until(lambda: page.text(arc(1, ".label")) == label)


def what_is_being_typed_is_kept(page: Page) -> None:
    """While a new view comes; and it is sent when another word is chosen, or the sentence is done."""
    number = open_sentence(page, SHARED)
    page.type("m")
    page.until(lambda: page.run("return document.activeElement.matches('.completion input')"))
    page.press("a", Keys.CONTROL)
    page.type("ea")
    version = page.driver.execute_async_script(OPEN, number)["version"]
    page.driver.execute_async_script(ACT, number, version, {"kind": "confirm", "words": [4], "columns": ["arc"]})
    page.run("dispatchEvent(new Event('focus'))")
    page.until(lambda: page.text(arc(4, ".note")) == "✓")
    assert page.run("return document.activeElement.value") == "ea"
    page.type("dem")
    assert page.run("return document.activeElement.value") == "eadem"
    assert "ea" not in page.text(".word[data-word='1'] .lemma")
    page.one(word(2)).click()
    page.until(lambda: page.text(".word[data-word='1'] .lemma") == "eadem")
    assert chosen(page) == "2 hears"
    page.type("m")
    page.until(lambda: page.run("return document.activeElement.matches('.completion input')"))
    page.press("a", Keys.CONTROL)
    page.type("audire")
    page.press(Keys.ENTER, Keys.CONTROL)
    page.until(lambda: not page.text(".sentence h2").startswith(SHARED))
    page.type("p")
    page.until(lambda: page.text(".word[data-word='2'] .lemma") == "audire")
    assert page.text(".badge") == "done"


WATCH = """window.told = [];
    const saved = document.getElementById("saved");
    new MutationObserver(() => window.told.push(saved.textContent)).observe(saved, {childList: true});"""


def set_online(page: Page, is_online: bool) -> None:
    conditions = {"offline": not is_online, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)


def a_lost_connection_loses_nothing(page: Page) -> None:
    open_sentence(page, LOST)
    page.run(WATCH)
    set_online(page, False)
    try:
        page.type("m")
        write(page, "hic")
        page.until(lambda: "Not saved" in page.text("#saved"))
        assert "hic" not in page.text(".word[data-word='1'] .lemma")
        assert "✓ Saved" not in page.run("return window.told"), "it was never said to be saved before it was"
    finally:
        set_online(page, True)
    page.until(lambda: page.text(".word[data-word='1'] .lemma") == "hic")
    until_saved(page)
    page.type("l")
    write(page, "two words")
    assert "Nothing was changed" in page.until(lambda: page.text("#messages .fault"))
    assert field(page, "Relation").get_property("value") == "two words", "what was refused can be mended"


def what_was_left_unsaved_is_offered(page: Page) -> None:
    number = open_sentence(page, LOST)
    change = {"sentence": number, "action": {"kind": "set", "word": 2, "column": "lemma", "value": "lego"}}
    page.run("sessionStorage.setItem('dodona-unsaved', JSON.stringify([arguments[0]]))", change)
    page.open("", fresh=True)
    assert "One change was not saved" in page.until(lambda: page.text("#messages .message"))
    page.click("Do it now", "#messages")
    page.until(lambda: page.text(".word[data-word='2'] .lemma") == "lego")
    until_saved(page)
    assert page.run("return sessionStorage.getItem('dodona-unsaved')") is None


def problems_are_shown_at_the_word(page: Page) -> None:
    open_sentence(page, LOST)
    assert not page.all(".problems")
    page.type(Keys.ARROW_RIGHT, "u")
    write(page, "WORD")
    assert "WORD" in page.until(lambda: page.text(".problems li"))
    assert page.all(".word.problem[data-word='2']")
    assert "problem" in page.text(".badge")
    page.type(Keys.HOME)
    page.click("2 reads", ".problems")
    assert chosen(page) == "2 reads"
    page.press("z", Keys.CONTROL)
    page.until(lambda: not page.all(".problems"))


def versions_stand_beside_it(page: Page) -> None:
    open_sentence(page, LOST)
    page.drag(page.one(word(1)), page.one(word(5)))
    page.until(lambda: head(page, 1) == 5)
    is_entered = "return document.activeElement.matches('.versions input')"
    page.type("v")
    page.until(lambda: page.run(is_entered))
    page.type(Keys.ARROW_DOWN)
    page.until(lambda: page.all(".sentence .arc.other"))
    page.type(Keys.ARROW_RIGHT, Keys.ENTER, Keys.END)
    assert page.all(".word.target"), "keys of the page work there, too"
    page.type(Keys.ESCAPE, "v")
    page.until(lambda: not page.all(".sentence .arc.other"))
    assert page.run("return document.activeElement.matches('.frame')")
    page.type("v")
    page.until(lambda: page.run(is_entered))
    names = page.texts(".versions label")
    assert {"model en-fast", "as in the file"} <= set(names)
    page.all(".versions input")[names.index("model en-fast")].click()
    page.until(lambda: page.all(".sentence .arc.other"))
    assert "differ" in page.text(".versions .differs")
    page.click("Take the tree of model en-fast", "main")
    page.until(lambda: head(page, 1) == 2 and not page.all(".sentence .arc.other"))
    page.run("document.querySelector('.frame').focus()")
    for key in ("n", "p", "v"):  # other sentences have other words
        before = forms(page)
        page.type(key)
        page.until(lambda key=key, before=before: key == "v" or forms(page) != before)  # type: ignore[misc]
    until_saved(page)


def a_suspicion_is_drawn_and_answered(page: Page) -> None:
    """What the queue says of a suspect is put in, because to find any takes long."""
    number = open_sentence(page, SUSPECT)
    before = head(page, 1)
    other = 4 if before != 4 else 5
    item = {"sentence": number, "file": "oaks.conllu", "text": "", "status": "open", "score": 0.5, "word": 1}
    page.run(INVENT, item | {"why": f"perhaps obj of {other}", "form": "The", "arc": [other, "obj"]})
    page.choose("Order", "suspects")
    page.until(lambda: "Accept" in page.text(".sentence .message button"))
    assert page.run(WORDS, ".sentence .arc.other") == ["1"], "the proposed arc is below the words"
    page.type("y")
    page.until(lambda: head(page, 1) == other and page.text(arc(1, ".label")).startswith("obj"))
    page.until(lambda: not page.all(".sentence .arc.other"))
    page.press("z", Keys.CONTROL)
    page.until(lambda: head(page, 1) == before)
    page.type("r")
    page.until(lambda: page.text(arc(1, ".note")) == "✓")
    page.open("", fresh=True)


INVENT = """const [item] = arguments, ask = window.fetch;
    window.fetch = (url, options) => url.endsWith("queue")
      ? Promise.resolve(Response.json({items: [item], total: 1})) : ask(url, options);"""


def nothing_moves_under_the_pointer(page: Page) -> None:
    """When arcs get other levels and problems come; and a list is where there is room for it."""
    open_sentence(page, LONG)

    def places() -> list[float]:
        return [box["top"] for box in page.boxes(".sentence .word[data-word='1'], .bar button, .word-form input")]

    before = places()
    page.type("u")
    write(page, "WORD")
    page.until(lambda: page.all(".problems li"))
    assert places() == before
    page.press("z", Keys.CONTROL)
    page.until(lambda: not page.all(".problems"))
    page.drag(page.one(word(2)), page.one(word(4)))
    until_saved(page)
    assert places() == before
    page.press("z", Keys.CONTROL)
    until_saved(page)
    page.type("f")
    page.until(lambda: page.all(".choices li"))
    (box,) = [box for box in page.boxes(".choices") if box["height"] > 0]
    assert box["top"] >= 0
    assert box["bottom"] <= 900
    page.type(Keys.ESCAPE)
    open_sentence(page, LONG, width=1700)  # where the field is at the edge
    page.type("f")
    page.until(lambda: page.all(".choices li"))
    root = "document.documentElement"
    assert page.run(f"return {root}.scrollWidth <= {root}.clientWidth")
    within = "[...document.querySelectorAll('.choices')].every((list) => list.scrollWidth <= list.clientWidth)"
    assert page.run(f"return {within}")
    page.type(Keys.ESCAPE)
    until_saved(page)


def who_loads_the_page_again_is_alone(page: Page) -> None:
    """And finds what was chosen before."""
    open_sentence(page, LONG)
    page.choose("Open below", "0.5")
    page.driver.refresh()
    page.until(lambda: page.all(".sentence .tree"))
    assert "another page" not in page.text("main")
    assert page.one(".bar select").get_property("value") == "0.5"
    page.choose("Open below", "0.9")


def queues_have_orders(page: Page) -> None:
    page.open("", fresh=True)
    page.until(lambda: page.all(".queue li"))
    done = page.text("#progress")
    page.choose("Order", "search")
    page.press("a", Keys.CONTROL)
    page.type('pattern { V [form="hears"] }')
    page.press(Keys.ENTER, Keys.CONTROL)
    page.until(lambda: page.texts(".queue .text") == ["hears: She hears the oracle."])
    page.until(lambda: forms(page)[:2] == ["She", "hears"] and chosen(page) == "2 hears")
    assert page.text("#progress") == done, "nothing is done by a search"
    page.driver.refresh()
    page.until(lambda: page.texts(".queue .text") == ["hears: She hears the oracle."])
    page.choose("Order", "doubt")
    page.until(lambda: len(page.texts(".queue small")) > 2)
    scores = [float(score) for score in page.texts(".queue small")]
    assert scores == sorted(scores, reverse=True)


def a_long_queue_is_shown_in_parts(page: Page) -> None:
    """Around the present sentence, also after a reload; what is done is leapt over."""
    page.open("", fresh=True)
    page.until(lambda: page.all(".queue [aria-current]"))
    assert not page.text(".sentence h2").startswith("Tree"), "the first sentence that is not done"
    number = MANY - 100
    page.open(f"#{number}/file", fresh=True)
    page.until(lambda: page.texts(".queue [aria-current] .text") == [f"Tree {number}"])
    for key, expected in (("n", number + 1), ("p", number), ("p", number - 1)):
        page.type(key)
        page.until(lambda expected=expected: heading(page) == f"Tree {expected}")  # type: ignore[misc]
    for _ in range(12):  # beyond the part that is there
        before = heading(page)
        page.type("p")
        page.until(lambda before=before: heading(page) != before)  # type: ignore[misc]
    assert heading(page) == f"Tree {number - 13}"
    page.until(lambda: page.texts(".queue [aria-current] .text") == [f"Tree {number - 13}"])
    many = len(page.all(".queue li"))
    page.click("More")
    page.until(lambda: len(page.all(".queue li")) == many + 50)
    shown = [int(text.split()[1]) for text in page.texts(".queue li .text") if text.startswith("Tree")]
    assert shown == list(range(shown[0], shown[0] + len(shown))), "each once, in order"
    page.press(Keys.ENTER, Keys.CONTROL)
    page.until(lambda: not heading(page).startswith("Tree"))


def files_are_written(page: Page) -> None:
    page.press("s", Keys.CONTROL)
    file = page.folder / "treebank" / "oaks.conllu"
    page.until(lambda: "Changed=" in file.read_text(encoding="utf-8"))
    sentences = {sentence.words[1]: sentence for sentence in dodona.read(file)}
    wind = sentences["wind"]
    assert (wind.heads[8], wind.labels[4], wind.upos[4], wind.lemmas[4]) == (3, "obl", "PROPN", "leafage")
    assert "# annotation = done" in wind.comments
    assert "arc" in wind.misc[8]
    page.click("Learning")
    page.click("Retrain")
    page.until(lambda: re.search(r"parser [0-9]|held-out", page.text(".aside [role=status]")))
    page.until(lambda: "held-out sentences" in page.text(".aside [role=status]"))
    assert re.fullmatch(r"\d+ words, \d+ minutes: \d+\.\d", page.text(".aside svg circle")), "the curve"
    page.click("Status")
    page.until(lambda: "ana" in page.text("main td"))


def markup_is_text(page: Page) -> None:
    open_sentence(page, MARKUP)
    assert page.text(".sentence h2").startswith("<img src=x")
    assert "taken" not in page.driver.title
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0


def right_to_left_is_right(page: Page) -> None:
    open_sentence(page, RIGHT_TO_LEFT)
    assert forms(page) == HEBREW
    places = [box["left"] for box in page.boxes(".sentence .word")]
    assert places == sorted(places, reverse=True)
    page.type(Keys.ARROW_LEFT)
    assert chosen(page).startswith("2 ")


def a_phone_is_wide_enough(page: Page) -> None:
    for sentence in (LONG, RIGHT_TO_LEFT):
        open_sentence(page, sentence, width=360)
        page.run("for (const node of document.querySelectorAll('main details')) node.open = true")
        assert page.run("return [document.documentElement.scrollWidth, innerWidth]") == [360, 360]
        for box in page.boxes("main button, main input, main select"):
            assert box["width"] == 0 or box["right"] <= 360


def everybody_can_use_it(page: Page) -> None:
    """Looked at by axe-core (docs/testing.md): no fault, wide and light, or narrow and dark."""
    for sentence, (width, dark) in product((LOST, RIGHT_TO_LEFT), ((1280, False), (390, True))):
        open_sentence(page, sentence, width, dark)
        page.run("for (const node of document.querySelectorAll('main details')) node.open = true")
        page.until(lambda: page.all(".versions input") and page.all("main table"))
        page.type("u")
        page.until(lambda: page.all(".choices li"))
        for is_dialog in (False, True):
            if is_dialog:
                page.run("document.activeElement.blur()")
                page.press("?", Keys.SHIFT)
                page.until(lambda: page.all("dialog"))
            assert page.look_for_faults() == [], (sentence, width, dark, is_dialog)
        page.type(Keys.ESCAPE)
        page.until(lambda: not page.all("dialog"))


SCENARIOS: list[Callable[[Page], None]] = [
    the_loop_with_the_mouse,
    the_loop_by_keyboard_alone,
    tokens_and_sentences_are_divided_and_joined,
    the_threshold_says_what_is_open,
    what_is_typed_is_completed,
    somebody_else_is_noticed,
    only_what_is_seen_is_approved_of,
    what_is_being_typed_is_kept,
    a_lost_connection_loses_nothing,
    what_was_left_unsaved_is_offered,
    problems_are_shown_at_the_word,
    versions_stand_beside_it,
    a_suspicion_is_drawn_and_answered,
    nothing_moves_under_the_pointer,
    who_loads_the_page_again_is_alone,
    queues_have_orders,
    a_long_queue_is_shown_in_parts,
    files_are_written,
    markup_is_text,
    right_to_left_is_right,
    a_phone_is_wide_enough,
    everybody_can_use_it,
]
