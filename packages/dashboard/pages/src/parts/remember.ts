/** Keeps a choice in this browser. Where storage is blocked it lasts as long as the page. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // As said above.
  }
}

/** What `remember` has kept. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
