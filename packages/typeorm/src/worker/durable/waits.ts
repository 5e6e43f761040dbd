import { InvalidOptionError } from '../../errors/index.js';
import { assertStepName } from '../../definition/names.js';
import { resolveSignal } from '../../definition/signal-definition.js';
import type { Duration } from '../../duration.js';
import { assertKnownOptions } from '../../options.js';
import type { Due } from '../../store/base/steps/step-row.js';
import { type SignalAnswer, type SignalTaken, signalOfValue, valueOfSignal } from '../../store/steps/take-signals.js';
import type { AnySignals, DurableWaitOptions, Signal } from '../handlers/durable-context.js';
import type { DurableRun } from './durable-run.js';
import { resolveDue } from './step-options.js';
import { decodeValue } from './step-value.js';
import { answerAfter, mustDecode, readStored } from './stored-text.js';

/** How many signals one wait has at most. */
const MOST_SIGNALS = 100;

/** A wait with its name. */
interface NamedWait {
  readonly run: DurableRun;
  /** The name that was given; undefined for one that is counted. */
  readonly given: string | undefined;
  /** The name that is counted. */
  readonly base: string;
}

/** Makes the call of a wait. Its name is counted if none was given. */
function callWait<T>(
  method: string,
  kind: 'sleep' | 'signal',
  { run, given, base }: NamedWait,
  body: (name: string) => Promise<T>,
): Promise<T> {
  let name = given;
  return run.call({
    method,
    kind,
    name: () => (name ??= run.waitNames.next(base)),
    body: async () => {
      const result = await body(name as string);
      if (given === undefined) {
        run.waitNames.close(base);
      }
      return result;
    },
  });
}

/** The body of `job.sleep`. */
export function sleep(run: DurableRun, wait: Duration | Date, options: { readonly name?: string } = {}): Promise<void> {
  assertKnownOptions(options, ['name']);
  const due = resolveDue('wait', wait);
  return callWait('sleep', 'sleep', { run, given: resolveName(options.name), base: 'sleep' }, async (name) => {
    const known = run.rows.find('sleep', name);
    if (known?.state === 'done') {
      return run.answers.give(known.seq);
    }
    const isOver = known === undefined ? 'delay' in due && due.delay === 0 : known.isDue;
    if (!isOver) {
      return run.wait({ kind: 'sleep', name, due: dueOf(known?.dueAt, due) });
    }
    return run.answers.give(await run.record({ kind: 'sleep', name, state: 'done', value: null }));
  });
}

/** The body of `job.waitForSignal`. */
export async function waitForSignal(
  run: DurableRun,
  signal: Parameters<typeof resolveSignal>[0],
  options: DurableWaitOptions = {},
): Promise<Signal<unknown> | undefined> {
  const { name } = resolveSignal(signal);
  const taken = await waitForOne(run, 'waitForSignal', name, [name], options);
  return taken && { data: taken.data, sentAt: taken.sentAt };
}

/** The body of `job.waitForAny`. */
export async function waitForAny(
  run: DurableRun,
  signals: AnySignals,
  options: DurableWaitOptions = {},
): Promise<(Signal<unknown> & { readonly name: string }) | undefined> {
  if (typeof signals !== 'object' || signals === null) {
    throw new InvalidOptionError('signals', signals, 'an object with signals by their names');
  }
  const entries = Object.entries(signals).map(([key, signal]) => [key, resolveSignal(signal).name] as const);
  const keys = new Map(entries.map(([key, name]) => [name, key]));
  if (keys.size !== entries.length || keys.size === 0 || keys.size > MOST_SIGNALS) {
    throw new InvalidOptionError('signals', signals, `1 to ${MOST_SIGNALS} different signals`);
  }
  const base = `any of ${[...keys.keys()].join(', ')}`.slice(0, LONGEST_BASE);
  const taken = await waitForOne(run, 'waitForAny', base, [...keys.keys()], options);
  return taken && { name: keys.get(taken.signal) ?? taken.signal, data: taken.data, sentAt: taken.sentAt };
}

/** Leaves space for a counter. */
const LONGEST_BASE = 180;

function waitForOne(
  run: DurableRun,
  method: string,
  base: string,
  signals: readonly string[],
  options: DurableWaitOptions,
): Promise<ReceivedSignal | undefined> {
  assertKnownOptions(options, ['name', 'timeout']);
  const timeout = options.timeout === undefined ? undefined : resolveDue('timeout', options.timeout);
  return callWait(method, 'signal', { run, given: resolveName(options.name), base }, async (name) => {
    const known = run.rows.find('signal', name);
    if (known?.state === 'done' || known?.state === 'late') {
      return receive(run, known.seq, known.value === null ? 'late' : signalOfValue(known.value));
    }
    const isLate = known === undefined ? timeout !== undefined && isOver(timeout) : known.isDue;
    const seq = run.reserveSeq();
    let taken: Exclude<SignalAnswer, 'busy' | 'lost'>;
    try {
      run.rows.assertSpace('signal', name);
      taken = await run.change((recorder, assertMayWait) => {
        return recorder.takeSignal({ job: run.context.job, name, signals, seq, isLate }, assertMayWait);
      });
      if (taken !== 'none') {
        const value = taken === 'late' ? null : valueOfSignal(taken);
        const state = taken === 'late' ? 'late' : 'done';
        run.rows.onStored(run.rows.prepare({ kind: 'signal', name, state, value }, seq));
      }
    } catch (error) {
      run.answers.release(seq);
      throw error;
    }
    if (taken === 'none') {
      run.answers.release(seq);
      return run.wait({ kind: 'signal', name, signals, due: known ? dueOf(known.dueAt) : timeout });
    }
    return receive(run, seq, taken);
  });
}

function isOver(due: Due): boolean {
  return 'delay' in due && due.delay === 0;
}

/** When a wait is due that was stored, or else that starts. */
function dueOf(stored: number | null | undefined, otherwise?: Due): Due | undefined {
  return typeof stored === 'number' ? { at: stored } : otherwise;
}

function resolveName(name: string | undefined): string | undefined {
  if (name !== undefined) {
    assertStepName(name);
  }
  return name;
}

/** A signal for the handler, with the name under which it was sent. */
interface ReceivedSignal extends Signal<unknown> {
  readonly signal: string;
}

/** Reads a signal, and waits for the turn of its number. */
async function receive(run: DurableRun, seq: number, taken: SignalTaken | 'late'): Promise<ReceivedSignal | undefined> {
  if (taken === 'late') {
    await run.answers.give(seq);
    return undefined;
  }
  const { signal, sentAt, data: stored } = taken;
  if (mustDecode(stored)) {
    const read = () => readStored(run, stored, 'signal', `data of the signal "${signal}"`);
    return { signal, sentAt: new Date(sentAt), data: await answerAfter(run, seq, read) };
  }
  await run.answers.give(seq);
  return { signal, sentAt: new Date(sentAt), data: decodeValue(stored) };
}
