// Small questions: where to split a token, which words make a multiword token, and what the keys are.

import { button, el, field, select } from "./dom.js";

/** A dialog that ends with Enter or Escape; what had the focus gets it back. */
function ask(title, parts, done, text = "OK") {
  const dialog = el("dialog", { "aria-label": title });
  const form = el(
    "form",
    {},
    el("h2", {}, title),
    parts,
    el(
      "div",
      { class: "row" },
      el("button", { type: "submit", class: "main" }, text),
      done && button("Cancel", () => dialog.close()),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close();
    done?.();
  });
  dialog.append(form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Ask after how many characters a token is split. */
export function askSplit(form, done) {
  const letters = Array.from(form);
  const middle = Math.ceil(letters.length / 2);
  const slider = el("input", { type: "range", min: 1, max: letters.length - 1, value: middle, "aria-label": "Where" });
  const shown = el("output", { class: "split", dir: "auto" });
  const show = () => {
    const at = Number(slider.value);
    shown.textContent = `${letters.slice(0, at).join("")} │ ${letters.slice(at).join("")}`;
    slider.setAttribute("aria-valuetext", `${letters.slice(0, at).join("")}, ${letters.slice(at).join("")}`);
  };
  slider.addEventListener("input", show);
  show();
  ask(`Split “${form}”`, [shown, slider], () => done(Number(slider.value)), "Split");
  slider.focus();
}

/** Ask for the last word and the form of a multiword token that begins at a word. */
export function askMultiword(view, first, done) {
  const forms = view.words.map(({ form }) => form);
  const lasts = forms.map((form, k) => [k + 1, `${k + 1} ${form}`]).slice(first, first + 9);
  const written = (last) => forms.slice(first - 1, last).join("");
  const form = el("input", { type: "text", dir: "auto", value: written(first + 1), maxlength: 200, required: true });
  let last = first + 1;
  const choose = (value) => {
    last = Number(value);
    form.value = written(last);
  };
  const parts = [field("Last word", select(lasts, last, choose)), field("Written as", form)];
  ask(`A multiword token from “${forms[first - 1]}”`, parts, () => done(last, form.value.trim()), "Make it");
  form.focus();
  form.select();
}

/** Show all keys. */
export function showKeys(keys) {
  const rows = keys.map(({ shown, text }) => el("div", {}, el("dt", {}, el("kbd", {}, shown)), el("dd", {}, text)));
  const dialog = ask("Keys", [el("dl", { class: "keys" }, rows)], null, "Close");
  dialog.classList.add("wide");
  dialog.scrollTop = 0;
}
