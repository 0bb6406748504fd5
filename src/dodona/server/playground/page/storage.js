// Corrections in the storage of this tab, so that a reload loses nothing. Private windows may have no storage.

const KEY = "dodona-corrections";

export function keep(value) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(value));
  } catch {
    // then a reload begins anew
  }
}

/** What was kept, or null: `states` of sentences, the place among them, and the model. */
export function kept() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY));
    return Array.isArray(found?.states) ? found : null;
  } catch {
    return null;
  }
}
