"""The playground in a real browser: what a person does there, with a mouse, a finger or a keyboard, and what is seen.

All of it is one test, so that there is one browser: starting it takes longer than most of what is done in it.
"""

import re
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product
from pathlib import Path
from urllib.parse import quote

import pytest
from samples.browser import Page, browser, why_no_browser
from selenium.webdriver.common.keys import Keys

import dodona
from dodona.drawing import svg_of, tikz_of

pytestmark = pytest.mark.skipif(why_no_browser() is not None, reason=why_no_browser() or "")

WIND = "The wind moves the leaves of the old oak."
LONG = (
    "Although the committee that had been appointed by the king in spring had not yet finished the report which "
    "everybody in the town was waiting for, the priests who lived under the oak decided, without asking anybody, "
    "that the oracle would speak again as soon as the leaves began to rustle."
)
MARKUP = """<img src=x onerror="document.title='taken'"><b>Oak</b><script>document.title='taken'</script> & leaves"""
READS = "#oracle?w=She+reads+books&h=2+0+2&l=nsubj+root+obj"
CROSSING = "#oracle?w=An+answer+came+about+rain&h=2+3+0+5+2"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    command = [sys.executable, "-m", "dodona", "serve", "en-fast", "--port", "0"]
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


@pytest.mark.timeout(240)  # a busy machine may be slow
def test_the_page(page: Page, tmp_path: Path) -> None:
    failures = []
    for scenario in SCENARIOS:
        try:
            scenario(page)
            assert page.faults() == []
        except Exception:
            failures.append(f"{scenario.__name__}\n{traceback.format_exc()}")
            page.driver.save_screenshot(str(tmp_path / f"{scenario.__name__}.png"))
    assert not failures, f"pictures are in {tmp_path}\n\n" + "\n".join(failures)


def parse(page: Page, text: str, width: int = 1280) -> None:
    """Parse a text, as somebody does who knows no mouse."""
    page.open("#parse", width)
    page.until(lambda: page.texts("#parse .tree"))
    page.run("document.querySelector('#parse .results').replaceChildren()")
    field = page.one("textarea")
    page.run("arguments[0].value = arguments[1]; arguments[0].focus()", field, text)
    page.press(Keys.ENTER, Keys.CONTROL)
    page.until(lambda: page.texts("#parse .tree") or page.texts("#parse .fault"))


def forms(page: Page, within: str) -> list[str]:
    return page.texts(f"{within} .word .form")


def heads(page: Page, within: str) -> list[int]:
    """The head of each word of the first tree."""
    script = """const found = {};
    for (const arc of document.querySelector(arguments[0] + " .tree").querySelectorAll(".arc"))
      found[arc.dataset.word] = Number(arc.dataset.head);
    return Object.keys(found).sort((a, b) => a - b).map((word) => found[word]);"""
    found: list[int] = page.run(script, within)
    return found


def a_text_becomes_trees(page: Page) -> None:
    parse(page, WIND + " Oak trees grow.")
    nlp = dodona.load("en-fast")
    first, second = nlp(WIND + " Oak trees grow.")
    assert forms(page, "#parse") == first.words + second.words
    assert heads(page, "#parse") == first.heads
    labels = page.texts("#parse .arc .label")
    assert [label.rstrip("%0123456789") for label in labels] != labels, "confidence is a number, and not a colour alone"
    page.click("CoNLL-U")
    assert page.text("#parse pre").startswith(first.to_bytes().decode().rstrip())
    page.click("Table")
    assert page.texts("#parse article:first-of-type tbody td:nth-child(2)") == first.words


def several_trees_can_be_compared(page: Page) -> None:
    parse(page, WIND)
    page.choose("Trees for each sentence", "3")
    page.click("Parse")
    page.until(lambda: len(page.all("#parse fieldset label")) == 3)
    before = heads(page, "#parse"), page.texts("#parse .arc .label")
    page.all("#parse fieldset label")[2].click()
    page.until(lambda: (heads(page, "#parse"), page.texts("#parse .arc .label")) != before)


def labels_do_not_overlap(page: Page) -> None:
    for text in (LONG, WIND):
        parse(page, text)
        labels, lines = page.boxes("#parse .arc .label"), page.boxes("#parse .arc .line")
        assert len(labels) == len(forms(page, "#parse"))
        for one, other in combinations(labels, 2):
            beside = one["right"] <= other["left"] or other["right"] <= one["left"]
            assert beside or one["bottom"] <= other["top"] + 2 or other["bottom"] <= one["top"] + 2
        for label, line in zip(labels, lines, strict=True):
            assert line["width"] < 1 or (line["left"] < label["left"] and label["right"] < line["right"])
    frame = page.run("const f = document.querySelector('#parse article .frame'); return [f.scrollWidth, f.clientWidth]")
    assert frame[0] <= frame[1], "a short sentence needs no scrolling"


def labels_keep_clear_of_crossing_arcs(page: Page) -> None:
    page.open("#oracle?w=a+b+c+d+e+f&h=4+5+6+0+4+5&l=one+two+three+root+five+six&s=covington+dynamic&m=")
    page.until(lambda: page.all("#oracle .tree"))
    script = """return [...document.querySelectorAll('#oracle .arc')].map((arc) => {
      const [label, line] = ['.label', '.line'].map((part) => arc.querySelector(part).getBoundingClientRect());
      return [label.left, label.right, (label.top + label.bottom) / 2, line.left, line.right, line.top];
    });"""
    arcs = page.run(script)
    for (left, right, middle, *_), (*_, low, high, top) in permutations(arcs, 2):
        for leg in (low, high):
            assert not (left < leg < right and top < middle - 9), "the leg of a higher arc goes through a label"


def markup_is_text(page: Page) -> None:
    parse(page, MARKUP)
    assert "".join(forms(page, "#parse")) == MARKUP.replace(" ", "")
    assert page.text("#parse h2") == MARKUP
    first = page.texts("#parse article:first-of-type .form")
    page.click("Correct")
    page.until(lambda: forms(page, "#correct") == first)
    page.click("Oracle", "#correct")
    page.until(lambda: forms(page, "#oracle") == first)
    link = "#oracle?w=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E+b&h=2+0&s=arc-eager+dynamic&m="
    page.open(link, fresh=True)
    assert page.until(lambda: forms(page, "#oracle")) == ["<img src=x onerror=alert(1)>", "b"]
    page.open("#oracle?w=" + quote("</title><script>") + "&h=0&s=%3Cb%3E+x&m=%3Ci%3E")
    assert "“" not in page.until(lambda: page.text("#oracle .fault"))
    assert "taken" not in page.driver.title
    assert page.run("return document.querySelectorAll('main img, main script, main b:not(li b)').length") == 0


def open_for_correction(page: Page, width: int = 1280) -> None:
    parse(page, WIND, width)
    page.click("Correct")
    page.until(lambda: forms(page, "#correct"))


def word(number: int) -> str:
    return f"#correct .word[data-word='{number}'] .form"


def an_arc_is_dragged(page: Page) -> None:
    open_for_correction(page)
    before = heads(page, "#correct")
    assert before[8] == 5
    page.drag(page.one(word(9)), page.one(word(3)))
    page.until(lambda: heads(page, "#correct")[8] == 3)
    assert "given" in str(page.one("#correct .arc[data-word='9']").get_attribute("class"))
    assert page.text("#correct .badge") == "one arc given"
    page.click("CoNLL-U", "#correct")
    assert [line.split("\t")[6] for line in page.text("#correct pre").splitlines() if line[:1].isdigit()][8] == "3"
    page.click("Undo")
    assert heads(page, "#correct") == before
    page.click("Redo")
    assert heads(page, "#correct")[8] == 3
    page.click("Undo")
    page.drag(page.one("#correct .arc[data-word='7'] .label"), page.one(word(8)))
    page.until(lambda: heads(page, "#correct")[6] == 8)
    assert heads(page, "#correct")[8] == before[8]
    assert page.run(
        "return [...document.querySelectorAll('#correct button')].find((b) => b.textContent === 'Redo').disabled"
    )
    page.driver.refresh()
    page.until(lambda: forms(page, "#correct"))
    assert heads(page, "#correct")[6] == 8, "a reload loses nothing"


def an_arc_is_dragged_with_a_finger(page: Page) -> None:
    open_for_correction(page, width=800)
    page.touch(page.one(word(9)), page.one(word(3)))
    page.until(lambda: heads(page, "#correct")[8] == 3)


def an_arc_is_corrected_by_keyboard(page: Page) -> None:
    open_for_correction(page)
    page.run("document.querySelector('#correct .edited').focus()")
    page.type(*[Keys.ARROW_RIGHT] * 8)
    assert page.text("#correct .panel strong") == "9 oak"
    page.type(Keys.ENTER, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ENTER)
    page.until(lambda: heads(page, "#correct")[8] == 3)
    page.type("l")
    page.press("a", Keys.CONTROL)
    page.type("obl:mine", Keys.ENTER)
    page.until(lambda: "obl:mine" in page.text("#correct .arc[data-word='9'] .label"))
    assert heads(page, "#correct")[8] == 3
    page.run("document.querySelector('#correct .edited').focus()")
    page.press("z", Keys.CONTROL)
    page.press("z", Keys.CONTROL)
    page.until(lambda: heads(page, "#correct")[8] == 5)
    page.press("y", Keys.CONTROL)
    page.until(lambda: heads(page, "#correct")[8] == 3)
    page.type("g")
    page.until(lambda: page.text("#correct .badge") == "0 arcs given")
    page.type("d")
    notes = page.texts("#correct .arc .note")
    chosen = page.text("#correct .arc.chosen .note")
    assert int(chosen.rstrip("%")) == min(int(note.rstrip("%")) for note in notes)


def what_cannot_be_given_changes_nothing(page: Page) -> None:
    open_for_correction(page)
    page.click("Give this arc")
    page.until(lambda: page.text("#correct .badge") == "one arc given")
    before = heads(page, "#correct")
    page.drag(page.one(word(2)), page.one(word(1)))
    told = page.until(lambda: page.text("#correct .fault"))
    assert "form a cycle" in told
    assert "Nothing was changed" in told
    assert heads(page, "#correct") == before
    page.drag(page.one(word(4)), page.one(word(2)))
    page.until(lambda: heads(page, "#correct") != before)
    assert page.texts("#correct .fault") == []
    before = heads(page, "#correct")
    page.drag(page.one(word(3)), page.one(word(9)))
    told = page.until(lambda: page.text("#correct .fault"))
    assert "crosses it" in told or "projective" in told, told
    assert heads(page, "#correct") == before


def files_are_opened_and_saved(page: Page) -> None:
    open_for_correction(page)
    words = ["Trees", "do", "n't", "speak"]
    rows = [f"{k}\t{form}\t_\t_\t_\t_\t_\t_\t_\tNote={k}" for k, form in enumerate(words, start=1)]
    rows[0] = rows[0].replace("_\t_\t_\tNote", "2\tmine\t_\tNote")
    rows.insert(1, "2-3\tdon't" + "\t_" * 8)
    file = page.folder / "half.conllu"
    file.write_text("\n".join(["# sent_id = half", *rows, "", ""]), encoding="utf-8")
    page.driver.find_element("css selector", "#correct input[type=file]").send_keys(str(file))
    page.until(lambda: forms(page, "#correct") == words)
    assert page.text("#correct .badge") == "one arc given"
    assert heads(page, "#correct")[0] == 2
    assert page.text("#correct .multiword") == "don't"
    page.click("Save as CoNLL-U")
    saved = page.folder / "corrected.conllu"
    page.until(lambda: saved.exists() and saved.stat().st_size)
    (sentence,) = dodona.read(saved)
    assert (sentence.sent_id, sentence.words, sentence.labels[0]) == ("half", words, "mine")
    assert (sentence.misc, sentence.multiword) == ([f"Note={k}" for k in range(1, 5)], [(2, 3, "don't")])


def a_file_with_trees_is_checked(page: Page) -> None:
    """Its arcs are shown with the model's confidence, and `D` finds the one that was changed."""
    (sentence,) = dodona.load("en-fast")(WIND)
    heads_of_file = [2 if d == 9 else h or 0 for d, h in enumerate(sentence.heads, start=1)]
    labels = ["nsubj" if label == "obj" else label for label in sentence.labels]
    file = page.folder / "annotated.conllu"
    changed = sentence.copy()
    changed.set_tree(heads_of_file, labels)
    file.write_bytes(changed.to_bytes())
    open_for_correction(page)
    page.driver.find_element("css selector", "#correct input[type=file]").send_keys(str(file))
    page.until(lambda: page.text("#correct .badge") == "0 arcs given" and heads(page, "#correct") == heads_of_file)
    notes = [int(note.rstrip("%")) for note in page.texts("#correct .arc .note")]
    assert len(notes) == len(labels)
    page.type("d")
    assert page.text("#correct .panel strong") in ("9 oak", "5 leaves")
    assert int(page.text("#correct .arc.chosen .note").rstrip("%")) == min(notes) < 20
    command = page.run(OPENED, "#correct", "Command")
    assert command.startswith("dodona draw - ")
    page.press("G", Keys.SHIFT)
    page.until(lambda: page.text("#correct .badge") == "10 arcs given")
    page.press("G", Keys.SHIFT)
    page.until(lambda: page.text("#correct .badge") == "0 arcs given")
    assert heads(page, "#correct") == sentence.heads, "what was released is parsed again"


OPENED = """const found = [...document.querySelectorAll(`${arguments[0]} details`)]
      .filter((node) => node.querySelector("summary").textContent === arguments[1]);
    for (const node of found) node.open = true;
    return found.at(-1).querySelector("pre").textContent;"""  # the text of a part that is unfolded


def run_command(page: Page, command: str) -> str:
    """What a command of the page prints, run as somebody would who has copied it."""
    command = command.replace("dodona", f"'{sys.executable}' -m dodona", 1)
    shell = ["sh", "-c", command]
    done = subprocess.run(
        shell, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=page.folder, timeout=60, check=True
    )
    return done.stdout


def trees_are_saved_in_all_forms(page: Page) -> None:
    text = "The king's oak doesn't speak."
    parse(page, text)
    (sentence,) = dodona.load("en-fast")(text)
    pictures = {"SVG": svg_of(sentence), "TikZ": tikz_of(sentence), "CoNLL-U": sentence.to_bytes().decode()}
    for name, extension in (("SVG", "svg"), ("TikZ", "tex"), ("CoNLL-U", "conllu"), ("PNG", "png")):
        page.click(f"Save as {name}", "#parse")
        file = page.folder / f"tree.{extension}"
        page.until(lambda file=file: file.exists() and file.stat().st_size)  # type: ignore[misc]
        if name in pictures:
            assert file.read_text() == pictures[name]
        else:
            size = struct.unpack(">II", file.read_bytes()[16:24])
            sides = re.findall(r'(?:width|height)="([0-9.]+)"', pictures["SVG"])[:2]
            assert size == pytest.approx([2 * float(side) for side in sides], abs=2)
    assert run_command(page, page.run(OPENED, "#parse", "Command")) == pictures["CoNLL-U"]
    page.click("Correct", "#parse")
    page.until(lambda: forms(page, "#correct"))
    page.drag(page.one(word(1)), page.one(word(5)))
    page.until(lambda: heads(page, "#correct")[0] == 5)
    corrected = page.run(OPENED, "#correct", "CoNLL-U")
    assert run_command(page, page.run(OPENED, "#correct", "Command")).rstrip() == corrected


def the_parse_is_taken_along(page: Page) -> None:
    page.open("#parse")
    page.run("sessionStorage.clear()")
    page.open("#parse", fresh=True)
    parse(page, "Oaks grow.")
    shown = page.texts("#parse .arc .note")
    page.one("nav a[href='#correct']").click()
    page.until(lambda: forms(page, "#correct") == ["Oaks", "grow", "."])
    assert page.texts("#correct .arc .note") == shown, "with its confidence"
    page.type("g")
    page.until(lambda: page.text("#correct .badge") == "one arc given")
    parse(page, "Leaves fall.")
    page.one("nav a[href='#correct']").click()
    page.until(lambda: page.texts("#correct .message"))
    assert forms(page, "#correct") == ["Oaks", "grow", "."], "corrections are not thrown away"
    page.click("Correct the new text", "#correct")
    page.until(lambda: forms(page, "#correct") == ["Leaves", "fall", "."])


def arrows_step_and_leave_menus_alone(page: Page) -> None:
    page.open(READS + "&s=arc-eager+dynamic&m=")
    page.until(lambda: page.all("#oracle .move"))
    for selector in (".head select", ".wide select", "input[type=range]", "input[type=checkbox]", ".frame"):
        page.run("document.querySelector(arguments[0]).focus()", f"#oracle {selector}")
        page.type(Keys.ARROW_RIGHT)
        page.until(lambda: moves_so_far(page) == ["SHIFT"])
        page.run("document.querySelector(arguments[0]).focus()", f"#oracle {selector}")
        page.type(Keys.ARROW_LEFT)
        page.until(lambda: moves_so_far(page) == [])
    page.run("document.querySelector('#oracle .head select').focus()")
    page.type(Keys.ARROW_DOWN, Keys.ESCAPE)
    assert "arc-eager" in page.run("return location.hash"), "a menu is opened, and nothing is chosen"
    open_for_correction(page)
    before = heads(page, "#correct")
    for k, selector in enumerate((".panel select", ".panel button", "input[type=checkbox]"), start=2):
        page.run("document.querySelector(arguments[0]).focus()", f"#correct {selector}")
        page.type(Keys.ARROW_RIGHT)
        assert page.text("#correct .panel strong").split()[0] == str(k)
    page.run("document.querySelector(arguments[0]).focus()", "#correct .panel select")
    for key in (Keys.ARROW_LEFT, Keys.HOME, Keys.END):
        page.type(key)
    assert heads(page, "#correct") == before
    assert page.text("#correct .badge") == "0 arcs given"


def moves_so_far(page: Page) -> list[str]:
    return page.texts("#oracle .trace button")


def a_derivation_is_walked_by_keys(page: Page) -> None:
    page.open(READS + "&s=arc-eager+dynamic&m=")
    page.until(lambda: page.all("#oracle .move"))
    page.type(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.until(lambda: moves_so_far(page) == ["SHIFT", "LEFT", "SHIFT"])
    page.type(Keys.ARROW_LEFT, Keys.END)
    page.until(lambda: len(moves_so_far(page)) == 6)
    assert page.text("#oracle .message.good") == "The end: this is the gold tree."
    page.type(Keys.HOME)
    page.until(lambda: moves_so_far(page) == [])
    page.type("1")
    page.until(lambda: moves_so_far(page) == ["SHIFT"])


def a_wrong_move_shows_what_it_loses(page: Page) -> None:
    page.open(READS + "&s=arc-eager+dynamic&m=SHIFT")
    wrong = page.one("#oracle .move[data-move='SHIFT']")
    assert "cost 1" in wrong.text
    page.run("arguments[0].focus()", wrong)
    assert len(page.all("#oracle .arc.would-lose[data-word='1']")) == 1
    page.type(Keys.ENTER)
    page.until(lambda: moves_so_far(page) == ["SHIFT", "SHIFT (1)"])
    assert len(page.all("#oracle .arc.lost[data-word='1']")) == 1
    assert "Cost so far: 1" in page.text("#oracle .legend")
    page.type(Keys.END)
    page.until(lambda: page.texts("#oracle .message.bad"))
    assert page.all("#oracle .arc.wrong[data-word='1']")
    page.click("After move 1: SHIFT")
    page.until(lambda: moves_so_far(page) == ["SHIFT"])
    assert page.all("#oracle .arc.lost") == []


def arcs_that_exclude_each_other_are_marked(page: Page) -> None:
    page.open("#oracle?w=The+wind+moves&h=2+3+0&s=arc-standard+dynamic&m=SHIFT+SHIFT+SHIFT")
    wrong = page.one("#oracle .move[data-move='SHIFT']")
    assert "exclude each other" in wrong.text
    page.run("arguments[0].focus()", wrong)
    assert len(page.all("#oracle .arc.would-exclude")) == 1
    assert page.all("#oracle .arc.would-lose") == []


def a_link_leads_to_the_same_place(page: Page) -> None:
    page.open(READS + "&labelled&s=nonmonotonic+joint+moves:left&m=SHIFT&s=easy-first+dynamic&m=")
    page.until(lambda: len(page.all("#oracle .system")) == 2 and len(page.all("#oracle .move")) > 3)
    page.all("#oracle .system")[1].find_element("css selector", ".move").click()
    page.until(lambda: len(moves_so_far(page)) == 2)
    seen = page.texts("#oracle .trace"), page.texts("#oracle .list"), page.texts("#oracle .move")
    link = page.run("return location.hash")
    assert "moves:left" in link.replace("%3A", ":")
    page.open(link, fresh=True)
    page.until(lambda: len(moves_so_far(page)) == 2)
    assert (page.texts("#oracle .trace"), page.texts("#oracle .list"), page.texts("#oracle .move")) == seen


def costs_can_be_hidden_from_a_class(page: Page) -> None:
    page.open(READS + "&guess&s=arc-eager+dynamic&m=SHIFT")
    page.until(lambda: page.all("#oracle .move"))
    assert set(page.texts("#oracle .move .cost")) == {"?"}
    assert "loses" not in page.text("#oracle .move")
    page.type("1")
    page.until(lambda: moves_so_far(page) == ["SHIFT", "SHIFT (1)"])


def two_systems_stand_side_by_side(page: Page) -> None:
    page.open(READS + "&s=arc-eager+dynamic&m=")
    page.until(lambda: page.all("#oracle .move"))
    page.click("Compare two systems")
    page.until(lambda: len(page.all("#oracle .move")) == 2)
    page.type(Keys.ARROW_RIGHT)
    page.until(lambda: len(moves_so_far(page)) == 1)
    one, other = page.boxes("#oracle .system")
    assert one["right"] <= other["left"]
    page.choose("System", "covington")
    page.until(lambda: "left list" in page.text("#oracle .system:first-child .list"))
    page.click("Close this system")
    assert len(page.all("#oracle .system")) == 1


def the_lattice_leads_to_its_configurations(page: Page) -> None:
    page.open(CROSSING + "&s=swap-standard+nd-all&m=SHIFT")
    page.until(lambda: page.all("#oracle .move"))
    page.click("All correct derivations")
    page.until(lambda: page.all("#oracle .node.here"))
    assert "4 derivations of 12 to 14 transitions" in page.text("#oracle .lattice")
    nodes = page.run("return [...document.querySelectorAll('#oracle .node')]")
    page.run("arguments[0].focus()", nodes[-1])
    page.type(Keys.ENTER)
    page.until(lambda: page.texts("#oracle .message.good"))
    assert len(moves_so_far(page)) in (12, 14)
    page.until(lambda: page.run("return arguments[0].classList.contains('here')", nodes[-1]))
    page.open(CROSSING + "&s=arc-hybrid+dynamic&m=")
    assert "crossing arcs" in page.until(lambda: page.text("#oracle .message"))


def heads_are_given_by_hand(page: Page) -> None:
    page.open("#oracle")
    page.until(lambda: page.all("#oracle .move"))
    page.click("A sentence of your own")
    words, given = page.all("#oracle .own input")[1:3]
    for field, text in ((words, "oaks speak"), (given, "2 1")):
        page.run("arguments[0].value = arguments[1]", field, text)
    page.click("Use this tree")
    assert "cycle" in page.until(lambda: page.text("#oracle .fault"))
    page.run("arguments[0].value = '2 0'; arguments[1].value = ''", given, page.all("#oracle .own input")[3])
    page.click("Use this tree")
    page.until(lambda: forms(page, "#oracle") == ["oaks", "speak"])
    page.click("A sentence of your own")
    page.run("arguments[0].focus()", page.all("#oracle .own input")[0])
    page.type(WIND, Keys.ENTER)
    page.until(lambda: len(forms(page, "#oracle")) == 10)


def right_to_left_is_right(page: Page) -> None:
    words = ["הרוח", "מזיזה", "את", "העלים"]
    page.open(f"#oracle?w={'+'.join(map(quote, words))}&h=2+0+4+2&s=arc-eager+dynamic&m=SHIFT+LEFT+SHIFT")
    page.until(lambda: page.all("#oracle .move"))
    places = [box["left"] for box in page.boxes("#oracle .word")]
    assert places == sorted(places, reverse=True)
    stack, buffer = page.boxes("#oracle .list li.focus")
    assert buffer["right"] < stack["left"], "the top of the stack and the front of the buffer are next to each other"
    parse(page, " ".join(words))
    places = [box["left"] for box in page.boxes("#parse .word")]
    assert places == sorted(places, reverse=True)


def a_phone_is_wide_enough(page: Page) -> None:
    open_for_correction(page, width=360)
    for view in ("#parse", "#correct", READS + "&s=arc-eager+dynamic&m=SHIFT&s=covington+dynamic&m="):
        page.run("location.hash = arguments[0]", view)
        page.until(lambda view=view: page.all(f"{view.partition('?')[0]} .tree"))  # type: ignore[misc]
        width = page.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert width == [360, 360], view
        for box in page.boxes(f"{view.partition('?')[0]} button"):
            assert box["width"] == 0 or box["right"] <= 360
    one, other = page.boxes("#oracle .system")
    assert one["bottom"] <= other["top"]


def dark_is_dark(page: Page) -> None:
    def brightness() -> int:
        colour = page.run("return getComputedStyle(document.documentElement).backgroundColor")
        return sum(int(part) for part in colour.strip("rgb()").split(",")[:3])

    page.open("#parse", dark=True)
    assert brightness() < 120
    page.one("#theme").click()
    assert brightness() > 600
    page.open("#parse", dark=True, fresh=True)
    assert brightness() > 600, "the choice is kept"
    page.one("#theme").click()
    page.run("localStorage.clear()")


def everybody_can_use_it(page: Page) -> None:
    """Looked at by axe-core (docs/testing.md): no fault, wide and light, or narrow and dark."""
    oracle = CROSSING + "&s=swap-standard+nd-all&m=SHIFT+SHIFT+RIGHT&s=arc-eager+static&m="
    for view, (width, dark) in product(("#parse", "#correct", oracle), ((1280, False), (390, True))):
        open_for_correction(page)
        page.open(view, width, dark)
        page.until(lambda view=view: page.all(f"{view.partition('?')[0]} .tree"))  # type: ignore[misc]
        page.run("for (const node of document.querySelectorAll('main details')) node.open = true")
        page.until(lambda: page.all("#oracle .node") or not page.all("#oracle"))
        assert page.look_for_faults() == [], (view, width, dark)


def a_pattern_finds_trees(page: Page) -> None:
    page.open("#search", 360)
    page.click("Search")
    page.until(lambda: page.texts("#search .tree"))
    assert page.run("return document.documentElement.scrollWidth") == 360
    assert page.text("#search .message") == "1 match in 2 sentences"
    assert page.texts("#search tbody td") == ["grow", "1", "100"]
    assert page.texts("#search .word.matched .form") == ["trees", "grow"]
    assert page.texts("#search .arc.given .label") == ["nsubj"]
    field = page.one("#search textarea")
    page.run("arguments[0].value = 'pattern { V -[nsubj] S }'; arguments[0].focus()", field)
    page.press(Keys.ENTER, Keys.CONTROL)
    page.until(lambda: page.texts("#search .fault"))
    assert "column 22: 'S'" in page.text("#search .fault")
    assert not page.texts("#search .tree")


SCENARIOS: list[Callable[[Page], None]] = [
    a_text_becomes_trees,
    several_trees_can_be_compared,
    labels_do_not_overlap,
    labels_keep_clear_of_crossing_arcs,
    markup_is_text,
    an_arc_is_dragged,
    an_arc_is_dragged_with_a_finger,
    an_arc_is_corrected_by_keyboard,
    what_cannot_be_given_changes_nothing,
    files_are_opened_and_saved,
    a_file_with_trees_is_checked,
    trees_are_saved_in_all_forms,
    the_parse_is_taken_along,
    arrows_step_and_leave_menus_alone,
    a_pattern_finds_trees,
    a_derivation_is_walked_by_keys,
    a_wrong_move_shows_what_it_loses,
    arcs_that_exclude_each_other_are_marked,
    a_link_leads_to_the_same_place,
    costs_can_be_hidden_from_a_class,
    two_systems_stand_side_by_side,
    the_lattice_leads_to_its_configurations,
    heads_are_given_by_hand,
    right_to_left_is_right,
    a_phone_is_wide_enough,
    dark_is_dark,
    everybody_can_use_it,
]
