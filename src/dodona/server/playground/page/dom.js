// Elements of the page. Text becomes text nodes, never markup, so that nothing in a sentence can be taken for HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element; an attribute `onclick` with a function listens to clicks. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}

/** A form field with its label above it. */
export function field(text, control, attributes = {}) {
  return el("label", { class: "field", ...attributes }, el("span", {}, text), control);
}

/** A check box with its label beside it. */
export function check(text, control) {
  return el("label", { class: "check" }, control, el("span", {}, text));
}

const MENU_KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"];

/** Keys that step through a tree or a derivation leave a closed menu as it is; up and down open it. */
function guardMenu(event) {
  const menu = event.currentTarget;
  const isOpen = CSS.supports("selector(:open)") && menu.matches(":open");
  if (isOpen || !MENU_KEYS.includes(event.key) || event.altKey) return;
  const opens = event.key === "ArrowUp" || event.key === "ArrowDown";
  if (opens && !menu.showPicker) return; // then the browser opens it by itself
  event.preventDefault();
  if (opens) menu.showPicker();
}

/** A list to choose from; `options` are values, or pairs of a value and its text. */
export function select(options, value, onchange, attributes = {}) {
  const made = options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return el("option", { value: key, selected: String(key) === String(value) }, text);
  });
  const listeners = { onchange: (event) => onchange(event.target.value), onkeydown: guardMenu };
  return el("select", { ...listeners, ...attributes }, made);
}

/** Tell something to those who do not see the page; with `shown`, for a moment, to the others, too. */
export function say(text, shown = false) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.toggle("shown", shown);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), 2500);
}

const ICONS = {
  first: "M4 3v10M13 3 6 8l7 5z",
  back: "M12 3 5 8l7 5z",
  next: "M4 3l7 5-7 5z",
  last: "M12 3v10M3 3l7 5-7 5z",
  close: "M3 3l10 10M13 3 3 13",
};

/** A button with a picture; `text` is its name. */
export function iconButton(icon, text, onclick, attributes = {}) {
  const picture = svg(
    "svg",
    { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: ICONS[icon] }),
  );
  return el("button", { type: "button", onclick, "aria-label": text, title: text, ...attributes }, picture);
}

/** A message that stays until something else happens; `actions` are buttons. */
export function message(text, kind = "note", actions = []) {
  return el("div", { class: `message ${kind}`, role: kind === "fault" ? "alert" : null }, el("p", {}, text), actions);
}

/** Whether a key belongs to a form field, and not to the view around it: all keys to text, letters to a menu. */
export function isTyping(event) {
  const { tagName: tag, type } = event.target;
  if (tag === "SELECT") return event.key.length === 1;
  return tag === "TEXTAREA" || (tag === "INPUT" && !["checkbox", "range", "radio", "file"].includes(type));
}

/** Whether Enter and the space bar press what has the focus. */
export function isPressed(event) {
  return event.target.closest("button, summary, a, select, input") !== null;
}
