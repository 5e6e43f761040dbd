/** Stores the cursors of a step one after another, and its result after them: the last one counts. */
export class CursorOrder {
  private readonly storing = new Map<string, Promise<unknown>>();

  /** Stores a cursor when those before it are stored. */
  async store<T>(name: string, store: () => Promise<T>): Promise<T> {
    const before = this.storing.get(name);
    const result = before === undefined ? store() : before.then(store, store);
    this.storing.set(name, result);
    try {
      return await result;
    } finally {
      if (this.storing.get(name) === result) {
        this.storing.delete(name);
      }
    }
  }

  /** Resolves when all cursors of a step are stored, or have failed. */
  async idle(name: string): Promise<void> {
    for (let last = this.storing.get(name); last !== undefined; last = this.storing.get(name)) {
      await last.catch(() => undefined);
    }
  }
}
