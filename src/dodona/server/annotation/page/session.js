// The sentence that is open, and the changes on their way to the server. A change is saved when the server has answered,
// never before. While the server cannot be reached, changes wait here and in the storage of the tab.

import { ask } from "./api.js";

const KEY = "dodona-unsaved";
const SETTINGS = "dodona-annotation";
const AGAIN = 1500; // milliseconds until the next try
const BUSY = [0, 408, 429, 499, 500, 502, 503, 504]; // statuses after which the same may be tried again

/** Changes that were on their way when the page was left: pairs of a sentence and an action. */
export function leftChanges() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

/** Keep changes for the case that the page is left; none: forget those that were kept. */
export function keepChanges(changes) {
  try {
    if (changes.length > 0) sessionStorage.setItem(KEY, JSON.stringify(changes));
    else sessionStorage.removeItem(KEY);
  } catch {
    // without storage, they wait in this page alone
  }
}

/** What was chosen on this page before, by name; what somebody else has put there instead is nothing. */
export function readSetting(name) {
  try {
    return JSON.parse(localStorage.getItem(SETTINGS))[name] ?? null;
  } catch {
    return null;
  }
}

/** Remember a choice for the next time. */
export function keepSetting(name, value) {
  try {
    const kept = JSON.parse(localStorage.getItem(SETTINGS));
    localStorage.setItem(SETTINGS, JSON.stringify({ ...kept, [name]: value }));
  } catch {
    // without storage, the choice holds until the page is left
  }
}

export class Session {
  /**
   * `show(view)` is called for each new view, `tell(state, count)` with "saved", "saving" or "waiting" and how many
   * changes are not saved, `refuse(error, action)` for what cannot be done, and `conflict(error, action)` if the sentence
   * has changed elsewhere; the action is not done then.
   */
  constructor({ show, tell, refuse, conflict }) {
    this.page = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16)).join("");
    this.calls = { show, tell, refuse, conflict };
    this.view = null;
    this.waiting = [];
    this.sending = null;
    addEventListener("beforeunload", (event) => this.waiting.length > 0 && event.preventDefault());
    addEventListener("focus", () => this.refresh());
    addEventListener("online", () => this.wake?.());
    addEventListener("pagehide", () => ask("leave", { page: this.page }, true).catch(() => {}));
    addEventListener("pageshow", (event) => event.persisted && this.refresh());
  }

  /** Open a sentence, after all that is on its way is saved. */
  async open(sentence) {
    await this.sending;
    if (this.waiting.length > 0) return;
    this.take(await ask("open", { sentence, page: this.page }));
    this.calls.tell("saved", 0);
  }

  /** See whether somebody else has changed the sentence, or has it open, and whether another model guesses. */
  async refresh() {
    if (this.view === null || this.waiting.length > 0) return;
    try {
      const { sentence, version, digest, other } = this.view;
      const view = await ask("open", { sentence, page: this.page });
      const isSame = view.version === version && view.digest === digest && view.other === other;
      if (!isSame && this.waiting.length === 0 && this.view.sentence === sentence) this.take(view);
    } catch {
      // the next change will tell
    }
  }

  /** Send a change; the promise is the new view, or null if there is none. */
  act(action) {
    this.waiting.push({ sentence: this.view.sentence, action });
    keepChanges(this.waiting);
    const send = () => this.send();
    this.sending = (this.sending ?? Promise.resolve(null)).then(send, send); // also after one that could not be drawn
    return this.sending;
  }

  async send() {
    const [first] = this.waiting;
    if (first === undefined) return null; // forgotten after a conflict
    const { sentence, action } = first;
    for (;;) {
      this.calls.tell("saving", this.waiting.length);
      let view;
      try {
        const { version, digest } = this.view;
        view = await ask("act", { sentence, version, digest, page: this.page, action });
      } catch (error) {
        if (!BUSY.includes(error.status)) return this.fail(error, action);
        await this.pause();
        continue;
      }
      this.waiting.shift();
      return this.settle(view);
    }
  }

  settle(view) {
    keepChanges(this.waiting);
    this.calls.tell(this.waiting.length > 0 ? "saving" : "saved", this.waiting.length);
    this.take(view);
    return view;
  }

  /** What comes after a change that failed was meant for a sentence that has it, and is given up with it. */
  fail(error, action) {
    const { view } = error.answer;
    if (error.status === 409 && view && hasAlready(view, action)) {
      this.waiting.shift();
      return this.settle(view); // only the answer was lost
    }
    this.waiting = [];
    keepChanges([]);
    if (view) this.take(view);
    this.calls.tell("saved", 0);
    this.calls[error.status === 409 ? "conflict" : "refuse"](error, action);
    return null;
  }

  async pause() {
    this.calls.tell("waiting", this.waiting.length);
    await new Promise((done) => {
      this.wake = done;
      setTimeout(done, AGAIN);
    });
  }

  take(view) {
    this.view = view.status === "done" ? allMarked(view) : view;
    this.calls.show(this.view);
  }
}

/** Of a sentence that is done everything counts, whether somebody has marked it or not. */
function allMarked(view) {
  const confirmed = (marks) =>
    Object.fromEntries(Object.entries(marks).map(([key, mark]) => [key, mark ?? "confirmed"]));
  return { ...view, words: view.words.map((word) => ({ ...word, marks: confirmed(word.marks) })) };
}

/** Whether a view has a change already. */
function hasAlready(view, { kind, word, head, label, column, value }) {
  const at = view.words[word - 1];
  if (kind === "arc") return at?.head === head && at.marks.arc === "changed" && (label ?? at.label) === at.label;
  if (kind === "set") return at?.[column] === value;
  return kind === "done" && view.status === "done";
}
