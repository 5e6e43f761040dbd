/** Who has a unique key. */
interface Holder {
  readonly id: string;
  /** As long as the job is queued, or has not finished, or only for a time. */
  lasts: 'queued' | 'unfinished' | 'window';
  /** In units; it has the key at least until then. */
  readonly until: number | undefined;
}

/** The unique keys, by the model. */
export class UniqueKeys {
  private readonly holding = new Map<string, Holder>();

  constructor(private readonly now: () => number) {}

  /** Who has a key. */
  holderOf(key: string): Holder | undefined {
    const holder = this.holding.get(key);
    return holder?.lasts === 'window' && !this.isInWindow(holder) ? undefined : holder;
  }

  /** Who has which key. */
  holders(): Map<string, string> {
    const keys = [...this.holding.keys()].filter((key) => this.holderOf(key));
    return new Map(keys.map((key) => [key, this.holding.get(key)!.id]));
  }

  take(key: string, id: string, lasts: 'queued' | 'unfinished', within: number | undefined): void {
    this.holding.set(key, { id, lasts, until: within === undefined ? undefined : this.now() + within });
  }

  /** A job was claimed. */
  began(id: string): void {
    this.release(id, ['queued']);
  }

  ended(id: string): void {
    this.release(id, ['queued', 'unfinished']);
  }

  private release(id: string, spans: readonly string[]): void {
    for (const [key, holder] of this.holding) {
      if (holder.id === id && spans.includes(holder.lasts)) {
        if (this.isInWindow(holder)) {
          holder.lasts = 'window';
        } else {
          this.holding.delete(key);
        }
      }
    }
  }

  private isInWindow({ until }: Holder): boolean {
    return until !== undefined && until > this.now();
  }
}
