import { NoAnswerError } from './errors.js';
import { isDoneWithin } from './timing.js';

/** How long a statement of verify itself may take, in ms. On a busy machine the longest reads take some seconds. */
export const ANSWER_TIMEOUT = 120_000;

/**
 * Calls a function that sends statements, and waits for their answers.
 *
 * @param purpose what they are for, for the error: `count the jobs`.
 * @throws NoAnswerError
 */
export async function answered<T>(
  purpose: string,
  ask: () => Promise<T>,
  milliseconds: number = ANSWER_TIMEOUT,
): Promise<T> {
  const answer = ask();
  if (!(await isDoneWithin(milliseconds, answer))) {
    // It may fail later, when its connection is closed.
    answer.catch(() => undefined);
    throw new NoAnswerError(purpose, milliseconds);
  }
  return answer;
}
