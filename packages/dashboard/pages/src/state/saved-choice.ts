/** Saves a choice in this browser. If storage is blocked, the choice lasts until the page is closed. */
export function saveChoice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is blocked.
  }
}

/** Returns the choice that `saveChoice` saved. */
export function loadChoice(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
