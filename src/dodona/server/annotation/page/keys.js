// The keys of the page. They work wherever the focus is, except in a text field and in a dialog.

/** Each key calls the method `name` of the annotator, with `values`. A key with `ctrl` works in text fields, too. */
export const KEYS = [
  { key: "ArrowLeft", name: "step", values: [-1], shown: "← →", text: "choose a word; or its head, after Enter" },
  { key: "ArrowRight", name: "step", values: [1] },
  { key: "Home", name: "jump", values: [1], shown: "Home, End", text: "the first word, the last word" },
  { key: "End", name: "jump", values: [Infinity] },
  {
    key: "Enter",
    name: "chooseHead",
    shown: "Enter",
    text: "choose the head of the word; Enter again sets it, ROOT is before the first word",
  },
  { key: "Escape", name: "cancel", shown: "Escape", text: "leave the choice of a head, or a text field, as it was" },
  { key: "d", name: "goToDoubt", shown: "D", text: "go to the most doubtful word that is not marked" },
  { key: "l", name: "edit", values: ["label"], shown: "L", text: "write the relation" },
  { key: "u", name: "edit", values: ["upos"], shown: "U", text: "write the part of speech (UPOS)" },
  { key: "x", name: "edit", values: ["xpos"], shown: "X", text: "write XPOS" },
  { key: "f", name: "edit", values: ["feats"], shown: "F", text: "write the features" },
  { key: "m", name: "edit", values: ["lemma"], shown: "M", text: "write the lemma" },
  { key: "w", name: "edit", values: ["form"], shown: "W", text: "write the word itself" },
  { key: "i", name: "edit", values: ["misc"], shown: "I", text: "write MISC" },
  { key: "g", name: "confirmArc", shown: "G", text: "confirm the arc of the word as it is, or release it" },
  { key: "c", name: "confirm", shown: "C", text: "confirm all of the word as it is, or release it" },
  { key: "a", name: "accept", shown: "A", text: "accept everything in the sentence that is sure enough" },
  {
    key: "Enter",
    ctrl: true,
    name: "finish",
    shown: "Ctrl+Enter",
    text: "the sentence is done; go to the next one that is open",
  },
  { key: "n", name: "go", values: [1], shown: "N, P", text: "the next sentence of the queue, the one before" },
  { key: "p", name: "go", values: [-1] },
  { key: "z", ctrl: true, name: "undo", shown: "Ctrl+Z, Ctrl+Y", text: "undo, redo" },
  { key: "y", ctrl: true, name: "redo" },
  { key: "z", ctrl: true, shift: true, name: "redo" },
  { key: "s", name: "splitToken", shown: "S", text: "split the token" },
  { key: "j", name: "mergeTokens", shown: "J", text: "merge the token with the next one" },
  { key: "b", name: "multiword", shown: "B", text: "make a multiword token that begins here, or undo one" },
  { key: "s", shift: true, name: "splitSentence", shown: "Shift+S", text: "begin a new sentence at the word" },
  {
    key: "j",
    shift: true,
    name: "joinSentence",
    shown: "Shift+J",
    text: "join the sentence with the next one of the file",
  },
  { key: "v", name: "toggleVersions", shown: "V", text: "show other versions of the sentence, ↑ ↓ choose one; or hide them" },
  {
    key: "y",
    name: "acceptSuspicion",
    shown: "Y, R",
    text: "accept a suspicion: set the arc that it proposes; reject it: confirm the present arc",
  },
  { key: "r", name: "rejectSuspicion" },
  { key: "s", ctrl: true, name: "write", shown: "Ctrl+S", text: "write the CoNLL-U files" },
  { key: "?", shift: null, name: "help", shown: "?", text: "show this list" },
];

/** The entry of a key that was pressed, if it has one. Cmd is Ctrl elsewhere. */
export function findKey(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const held = event.ctrlKey || event.metaKey;
  return KEYS.find(
    (entry) =>
      entry.key === key &&
      (entry.ctrl ?? false) === held &&
      (entry.shift === null || (entry.shift ?? false) === event.shiftKey),
  );
}
