import { type StoredChildOutcome, withoutStack } from '../../store/base/steps/store-child-outcomes.js';
import type { ChildOutcome } from '../handlers/children.js';
import type { DurableRun } from './durable-run.js';
import { answerAfter, readStored } from './stored-text.js';

/** The outcomes in the row of a call. */
export function storedOutcomesOf(value: string): StoredChildOutcome[] {
  return JSON.parse(value) as StoredChildOutcome[];
}

/** A child that has ended. */
export interface ReadChild {
  readonly outcome: ChildOutcome<unknown>;
  /** Whether its error is encoded, and would not be if the parent stored it. */
  readonly hidesError: boolean;
}

/** Reads the outcomes in the row of a call, and waits for the turn of its number. */
export async function outcomesOf(run: DurableRun, seq: number, value: string): Promise<ReadChild[]> {
  const stored = storedOutcomesOf(value);
  if (stored.some(isEncoded)) {
    const { codecs } = run.dependencies.outcomes;
    const isPlain = codecs.encoderFor(run.context.definition) === undefined;
    const read = async (outcome: StoredChildOutcome): Promise<ReadChild> => ({
      outcome: await decoded(run, outcome),
      hidesError: isPlain && 'encodedError' in outcome,
    });
    return answerAfter(run, seq, () => Promise.all(stored.map(read)));
  }
  await run.answers.give(seq);
  return stored.map((outcome) => ({ outcome: outcome as ChildOutcome<unknown>, hidesError: false }));
}

function isEncoded(outcome: StoredChildOutcome): boolean {
  return 'encodedResult' in outcome || 'encodedError' in outcome;
}

async function decoded(run: DurableRun, outcome: StoredChildOutcome): Promise<ChildOutcome<unknown>> {
  const { id } = outcome;
  if (outcome.state === 'succeeded' && outcome.encodedResult !== undefined) {
    const result = await readStored(run, outcome.encodedResult, 'result', `result of the child ${id}`);
    return { id, state: 'succeeded', result };
  }
  if (outcome.state === 'failed' && outcome.encodedError !== undefined) {
    const error = await readText(run, outcome.encodedError, `error of the child ${id}`);
    return { id, state: 'failed', error: withoutStack(error) };
  }
  return outcome as ChildOutcome<unknown>;
}

function readText(run: DurableRun, stored: string, value: string): Promise<string> {
  const { codecs } = run.dependencies.outcomes;
  return run.busyWhile(() => codecs.decode(stored, 'error', value, run.context.definition));
}
