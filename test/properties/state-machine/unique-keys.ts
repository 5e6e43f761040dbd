/** The job that has a unique key. */
interface Holder {
  readonly id: string;
  /** As long as the job is queued, or has not finished, or only for a time. */
  lasts: 'queued' | 'unfinished' | 'window';
  /** In units; it has the key at least until then. */
  readonly until: number | undefined;
}

/** The unique keys, by the model. */
export class UniqueKeys {
  private readonly byKey = new Map<string, Holder>();
  /** The keys that jobs had until they finished, by the id: a retry takes them again. */
  private readonly former = new Map<string, string>();

  constructor(private readonly now: () => number) {}

  /** The job that has a key. */
  holderOf(key: string): Holder | undefined {
    const holder = this.byKey.get(key);
    return holder?.lasts === 'window' && !this.isInWindow(holder) ? undefined : holder;
  }

  /** The ids of the jobs that have keys. */
  holders(): Map<string, string> {
    const keys = [...this.byKey.keys()].filter((key) => this.holderOf(key));
    return new Map(keys.map((key) => [key, this.byKey.get(key)!.id]));
  }

  addHolder(key: string, id: string, lasts: 'queued' | 'unfinished', within: number | undefined): void {
    this.byKey.set(key, { id, lasts, until: within === undefined ? undefined : this.now() + within });
  }

  /** A job was claimed. */
  onClaimed(id: string): void {
    this.freeKeys(id, ['queued']);
  }

  onEnded(id: string): void {
    this.former.delete(id);
    for (const [key, holder] of this.byKey) {
      if (holder.id === id && holder.lasts === 'unfinished') {
        this.former.set(id, key);
      }
    }
    this.freeKeys(id, ['queued', 'unfinished']);
  }

  /** The id of the live job that has the former key of a finished one. */
  conflictOf(id: string): string | undefined {
    const holder = this.holderOf(this.former.get(id) ?? '');
    return holder?.lasts === 'window' ? undefined : holder?.id;
  }

  /** A finished job was retried: it takes its key again, also from an earlier job whose window is open. */
  onRetried(id: string): void {
    const key = this.former.get(id);
    if (key !== undefined) {
      this.byKey.set(key, { id, lasts: 'unfinished', until: this.holderOf(key)?.until });
    }
  }

  private freeKeys(id: string, spans: readonly string[]): void {
    for (const [key, holder] of this.byKey) {
      if (holder.id === id && spans.includes(holder.lasts)) {
        if (this.isInWindow(holder)) {
          holder.lasts = 'window';
        } else {
          this.byKey.delete(key);
        }
      }
    }
  }

  private isInWindow({ until }: Holder): boolean {
    return until !== undefined && until > this.now();
  }
}
