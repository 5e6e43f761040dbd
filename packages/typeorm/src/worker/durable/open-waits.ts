import type { ParkedOutcome } from '../completing/outcome.js';
import type { Fence } from '../../store/base/jobs/claimed-job.js';
import type { Due, WaitRow } from '../../store/base/steps/step-row.js';

/** A wait of a run: for a time, for signals, for children, or for the next try of a step. */
export interface OpenWait {
  readonly kind: 'step' | 'sleep' | 'signal' | 'child';
  readonly name: string;
  /** Undefined if it has no time. */
  readonly due: Due | undefined;
  /** The signals it waits for. */
  readonly signals?: readonly string[];
  /** How many signals it needs: one for each child. Default: 1. */
  readonly needs?: number;
  /** For a step that has failed: its failures, its cursor and its error, as JSON text, and the error with its stack. */
  readonly failures?: number;
  readonly value?: string | null;
  readonly error?: string | null;
  readonly text?: string;
}

/** The open waits of one attempt. */
export class OpenWaits {
  private readonly waits: { readonly wait: OpenWait; readonly since: number }[] = [];

  get isEmpty(): boolean {
    return this.waits.length === 0;
  }

  add(wait: OpenWait): void {
    this.waits.push({ wait, since: performance.now() });
  }

  /**
   * The outcome of a run that waits. What has passed of each wait since it began is subtracted.
   *
   * @param nextSeq returns the number of the next row.
   * @param now about the present time, in ms by the database's clock.
   */
  toOutcome(job: Fence, nextSeq: () => number, now: number): ParkedOutcome {
    const rows = this.waits.flatMap(({ wait, since }) => rowsOf(job, wait, remaining(wait.due, since), nextSeq));
    const delays = rows.flatMap(({ due }) => (due === null ? [] : ['delay' in due ? due.delay : due.at - now]));
    const texts = this.waits.flatMap(({ wait: { name, text } }) =>
      text === undefined ? [] : `Step "${name}": ${text}`,
    );
    return {
      kind: 'parked',
      waits: rows,
      text: texts.length === 0 ? null : texts.join('\n'),
      delay: delays.length === 0 ? undefined : Math.max(0, Math.round(Math.min(...delays))),
    };
  }
}

function remaining(due: Due | undefined, since: number): Due | null {
  if (due === undefined) {
    return null;
  }
  return 'at' in due ? due : { delay: Math.max(0, Math.round(due.delay - (performance.now() - since))) };
}

/** One row, and one more for each further signal. */
function rowsOf(job: Fence, wait: OpenWait, due: Due | null, nextSeq: () => number): readonly WaitRow[] {
  const { kind, name, signals = [], needs = 1, failures = 0, value = null, error = null } = wait;
  const common = { job, name, state: 'open', failures, value, error, took: null } as const;
  return [
    { ...common, kind, seq: nextSeq(), due, awaits: signals[0] ?? null, needs },
    ...signals
      .slice(1)
      .map((awaits, index) => ({ ...common, kind: `any${index + 1}` as const, seq: nextSeq(), due: null, awaits })),
  ];
}
