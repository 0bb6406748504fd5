// Light or dark: as the system has it, until the reader chooses.

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("dodona-theme", theme);
  } catch {
    // without storage, the choice holds until the page is left
  }
}

/** Listens to the button `#theme`; what was chosen is kept. */
export function prepareTheme() {
  try {
    const kept = localStorage.getItem("dodona-theme");
    if (kept === "light" || kept === "dark") setTheme(kept);
  } catch {
    // without storage, as the system has it
  }
  document.getElementById("theme").addEventListener("click", () => {
    const { theme } = document.documentElement.dataset;
    const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    setTheme(isDark ? "light" : "dark");
  });
}
