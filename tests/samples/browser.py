"""A real browser for tests of the page: Chromium, without a window and without a network, driven by Selenium."""

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

__all__ = ["Page", "browser", "find_axe", "why_no_browser"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1280,900",
)
SEEN = "[...document.querySelectorAll(arguments[0])].filter((node) => node.checkVisibility())"
PATIENCE = 20.0  # seconds; nothing takes as long, but the machine may be busy


def _browser_file() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def why_no_browser() -> str | None:
    """Why there is no browser here, or None if there is one."""
    if _browser_file() is None:
        return f"no browser: none of {', '.join(BROWSERS)} (on Debian: apt-get install chromium chromium-driver)"
    if shutil.which("chromedriver") is None:
        return "no chromedriver (on Debian: apt-get install chromium-driver)"
    return None


def find_axe() -> Path | None:
    """The program axe-core, which finds faults of accessibility: named by DODONA_AXE, or that of axe-core-python."""
    if named := os.environ.get("DODONA_AXE"):
        return Path(named)
    package = importlib.util.find_spec("axe_core_python")
    folders = package.submodule_search_locations if package is not None else None
    return next((Path(folder) / "axe.min.js" for folder in folders or ()), None)


@contextmanager
def browser(folder: Path) -> Iterator[webdriver.Chrome]:
    """A browser with a new profile in this folder, where its downloads go, too."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(_browser_file())
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    try:
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        yield driver
    finally:
        driver.quit()


class Page:
    """The playground in a browser: short words for what a person does and sees."""

    def __init__(self, driver: webdriver.Chrome, address: str, folder: Path) -> None:
        self.driver = driver
        self.address = address
        self.folder = folder  # where files are saved

    def open(self, fragment: str = "", width: int = 1280, dark: bool = False, fresh: bool = False) -> None:
        """Go to a place of the page, in a window of this width; it is loaded anew only if that is wanted, or needed."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        if fresh or self.driver.current_url.partition("#")[0] != self.address:
            self.driver.get("about:blank")
            self.driver.get(self.address + fragment)
            self.until(lambda: self.run("return document.documentElement.dataset.ready") is not None)
        else:
            script = "history.replaceState(null, '', arguments[0]); dispatchEvent(new Event('hashchange'))"
            self.run(script, fragment)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: Callable[[], Any]) -> Any:
        """Wait for something that the page is about to do."""
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(lambda _: condition())

    def all(self, selector: str) -> list[WebElement]:
        """What is seen of these elements."""
        found: list[WebElement] = self.run(f"return {SEEN}", selector)
        return found

    def one(self, selector: str) -> WebElement:
        return self.until(lambda: self.all(selector))[0]  # type: ignore[no-any-return]

    def texts(self, selector: str) -> list[str]:
        """The texts of these elements, all at once."""
        found: list[str] = self.run(f"return {SEEN}.map((node) => node.textContent)", selector)
        return found

    def text(self, selector: str) -> str:
        return " ".join(self.texts(selector))

    def click(self, text: str, within: str = "main") -> None:
        """Click the button or summary that says this."""
        named = "[node.textContent.trim(), node.getAttribute('aria-label')].includes(arguments[1])"
        selector = f"{within} button, {within} summary"
        found = self.run(f"return {SEEN}.find((node) => {named})", selector, text)
        assert found is not None, f"no button {text!r}; there are: {self.texts(selector)}"
        found.click()

    def look_for_faults(self) -> list[str]:
        """What axe-core finds; nothing without it."""
        axe = find_axe()
        if axe is None:
            return []
        self.run(axe.read_text(encoding="utf-8"))
        told = "[each.impact, each.id, ...each.nodes.map((node) => node.html)].join(' ')"
        script = f"axe.run().then(({{ violations }}) => arguments[0](violations.map((each) => {told})))"
        found: list[str] = self.driver.execute_async_script(script)
        return found

    def choose(self, label: str, value: str, within: str = "main") -> None:
        """Choose from the list below this label."""
        fits = "node.textContent.startsWith(arguments[1])"
        found = self.run(f"return {SEEN}.find((node) => {fits})?.querySelector('select')", f"{within} label", label)
        assert found is not None, f"no list {label!r}"
        Select(found).select_by_value(value)

    def type(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def press(self, key: str, *held: str) -> None:
        """Press a key while others are held down."""
        chain = ActionChains(self.driver)
        for other in held:
            chain.key_down(other)
        chain.send_keys(key)
        for other in held:
            chain.key_up(other)
        chain.perform()

    def drag(self, start: WebElement, end: WebElement) -> None:
        ActionChains(self.driver, duration=20).drag_and_drop(start, end).perform()

    def touch(self, start: WebElement, end: WebElement) -> None:
        """Drag with a finger."""

        def centre(element: WebElement) -> dict[str, float]:
            box = self.run("return arguments[0].getBoundingClientRect()", element)
            return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

        (first, last) = (centre(start), centre(end))
        between = {key: (first[key] + last[key]) / 2 for key in first}
        for kind, points in (("Start", [first]), ("Move", [between]), ("Move", [last]), ("End", [])):
            event = {"type": f"touch{kind}", "touchPoints": points}
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", event)

    def boxes(self, selector: str) -> list[dict[str, float]]:
        """Where these elements are on the page."""
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect().toJSON())"
        found: list[dict[str, float]] = self.run(script, selector)
        return found

    def faults(self) -> list[str]:
        """What the browser complains about, such as what its policy does not allow; refused requests are no fault."""
        entries: list[dict[str, str]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries if "status of 400" not in entry["message"]]
