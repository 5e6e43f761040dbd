/** How many jobs of one state of a queue map, and what became of them. */
export interface StateCounts {
  /** How many were found in Redis. */
  found: number;
  /** How many can be imported, or were. */
  maps: number;
  /** How many an earlier import has stored. */
  known: number;
  /** How many stay in Redis. */
  stays: number;
}

/** A reason, or a difference, with the jobs it applies to. */
export interface Remark {
  readonly text: string;
  count: number;
  /** The first of them: `mail:17`. */
  readonly examples: string[];
}

const MOST_EXAMPLES = 3;

/** Counts what an import finds and does. */
export class ImportReport {
  readonly counts = new Map<string, Map<string, StateCounts>>();
  /** Names of jobs by queue, with how many there are: each needs a handler. */
  readonly names = new Map<string, Map<string, number>>();
  private readonly reasons = new Map<string, Remark>();
  private readonly differences = new Map<string, Remark>();

  addFound(queue: string, state: string): void {
    this.countsOf(queue, state).found++;
  }

  addMapped(queue: string, state: string, names: readonly { readonly queue: string; readonly name: string }[]): void {
    this.countsOf(queue, state).maps++;
    for (const { queue: own, name } of names) {
      const counted = this.names.get(own) ?? new Map<string, number>();
      this.names.set(own, counted.set(name, (counted.get(name) ?? 0) + 1));
    }
  }

  addKnown(queue: string, state: string): void {
    this.countsOf(queue, state).known++;
  }

  addRefusal(queue: string, state: string, id: string, reason: string): void {
    this.countsOf(queue, state).stays++;
    add(this.reasons, reason, `${queue}:${id}`);
  }

  addNotes(queue: string, id: string, notes: readonly string[]): void {
    new Set(notes).forEach((note) => add(this.differences, note, `${queue}:${id}`));
  }

  get refusals(): readonly Remark[] {
    return [...this.reasons.values()];
  }

  get notes(): readonly Remark[] {
    return [...this.differences.values()];
  }

  /** The sum over all queues and states. */
  total(kind: keyof StateCounts): number {
    return [...this.counts.values()]
      .flatMap((states) => [...states.values()])
      .reduce((sum, each) => sum + each[kind], 0);
  }

  private countsOf(queue: string, state: string): StateCounts {
    const states = this.counts.get(queue) ?? new Map<string, StateCounts>();
    const counts = states.get(state) ?? { found: 0, maps: 0, known: 0, stays: 0 };
    this.counts.set(queue, states.set(state, counts));
    return counts;
  }
}

function add(remarks: Map<string, Remark>, text: string, example: string): void {
  const remark = remarks.get(text) ?? { text, count: 0, examples: [] };
  remark.count++;
  if (remark.examples.length < MOST_EXAMPLES) {
    remark.examples.push(example);
  }
  remarks.set(text, remark);
}
