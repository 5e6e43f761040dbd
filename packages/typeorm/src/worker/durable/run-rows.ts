import { StepLimitError } from '../../errors/index.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { FoundStep } from '../../store/steps/find-steps.js';
import type { RecordedStep } from '../../store/steps/record-steps.js';
import type { StepKind } from '../../tables/step.js';

/** How many rows a job has at most. */
const MOST_ROWS = 10_000;
/** How many bytes the values of a job have together at most. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A row of the job, as far as a run needs it. */
export type KnownStep = Pick<FoundStep, 'state' | 'seq' | 'failures' | 'dueAt' | 'isDue' | 'value' | 'error'> &
  Partial<Pick<FoundStep, 'awaits' | 'needs'>>;

/** The fields of a row that differ from call to call. */
export type RowFields = Pick<RecordedStep, 'kind' | 'name' | 'state' | 'value'> &
  Partial<Pick<RecordedStep, 'failures' | 'error' | 'took'>>;

/** The rows of the job of one attempt: those of earlier attempts, and those that it has stored. */
export class RunRows {
  private readonly known = new Map<string, KnownStep>();
  private lastSeq = 0;
  private bytes = 0;
  private stored = 0;

  constructor(private readonly job: ClaimedJob) {}

  /** The next number. */
  nextSeq(): number {
    return ++this.lastSeq;
  }

  /** Whether this attempt has stored a row. */
  get hasStored(): boolean {
    return this.stored > 0;
  }

  /** Returns the name of a step or a wait of an earlier attempt that is none of these, if there is one. */
  findUnused(used: ReadonlySet<string>): string | undefined {
    const isUnused = (key: string) => !used.has(key) && /^(step|sleep|signal|child) /.test(key);
    return [...this.known.keys()].find(isUnused)?.replace(/^\w+ /, '');
  }

  find(kind: StepKind, name: string): KnownStep | undefined {
    return this.known.get(keyOf(kind, name));
  }

  /** Adds the rows of earlier attempts. */
  load(steps: readonly FoundStep[]): void {
    for (const step of steps) {
      this.known.set(keyOf(step.kind, step.name), step);
      this.lastSeq = Math.max(this.lastSeq, step.seq);
      this.bytes += sizeOf(step.value);
    }
  }

  /**
   * Makes a row to store.
   *
   * @throws StepLimitError
   */
  prepare(fields: RowFields, seq: number): RecordedStep {
    const before = this.find(fields.kind, fields.name);
    const bytes = this.bytes + sizeOf(fields.value) - sizeOf(before?.value);
    this.assertSpace(fields.kind, fields.name);
    if (bytes > MOST_BYTES) {
      throw new StepLimitError(fields.name, `${MOST_BYTES} bytes of results`);
    }
    return { failures: 0, error: null, took: null, ...fields, job: this.job, seq, isNew: before === undefined };
  }

  /**
   * Whether the job may have this row.
   *
   * @throws StepLimitError
   */
  assertSpace(kind: StepKind, name: string): void {
    if (this.find(kind, name) === undefined && this.known.size >= MOST_ROWS) {
      throw new StepLimitError(name, `${MOST_ROWS} steps`);
    }
  }

  /** A row is stored. */
  onStored({ kind, name, state, seq, failures, value, error }: RecordedStep): void {
    this.stored++;
    this.bytes += sizeOf(value) - sizeOf(this.find(kind, name)?.value);
    this.known.set(keyOf(kind, name), { state, seq, failures, dueAt: null, isDue: false, value, error });
  }
}

/** The name of a row, with its kind. */
export function keyOf(kind: StepKind, name: string): string {
  return `${kind} ${name}`;
}

function sizeOf(value: string | null | undefined): number {
  return value ? Buffer.byteLength(value) : 0;
}
