import type { EntityManager } from 'typeorm';

import { RunEndedError, StepTimeoutError, StepsUnavailableError } from '../../errors/index.js';
import type { StepContext } from '../handlers/durable-context.js';
import { withinStep } from './current-step.js';
import type { DurableRun } from './durable-run.js';
import { decodeValue } from './step-value.js';
import { storeCursor } from './step-cursor.js';
import type { StoredText } from './stored-text.js';

/** The step ends here: the worker stops. */
export const SUSPENDED = Symbol('suspended');

/** One try of a step: calls its function, with its context. */
export class StepAttempt implements StepContext {
  readonly id: string;
  /** The failures in a row, without those before the last cursor. */
  failuresSoFar: number;
  /** The last cursor, as it is stored. */
  storedCursor: string | null;
  #cursorText: string | null;
  readonly #run: DurableRun;
  readonly #name: string;
  readonly #timeout: number | undefined;
  readonly #isTransactional: boolean;
  #controller: AbortController | undefined;
  #suspend: (() => void) | undefined;
  #isLate = false;
  #hasEnded = false;

  constructor(
    run: DurableRun,
    name: string,
    readonly failures: number,
    { text, stored }: StoredText,
    { timeout, isTransactional }: { readonly timeout: number | undefined; readonly isTransactional: boolean },
  ) {
    this.#run = run;
    this.#name = name;
    this.#timeout = timeout;
    this.#isTransactional = isTransactional;
    this.id = `${run.context.attempt.id}:${name}`;
    this.failuresSoFar = failures;
    this.storedCursor = stored;
    this.#cursorText = text;
  }

  get signal(): AbortSignal {
    const { signal } = this.#run.context.attempt;
    if (this.#timeout === undefined) {
      return signal;
    }
    this.#controller ??= new AbortController();
    return AbortSignal.any([signal, this.#controller.signal]);
  }

  get cursor(): unknown {
    return decodeValue(this.#cursorText);
  }

  /** A function of its own, so that a step may destructure its context. */
  get checkpoint(): StepContext['checkpoint'] {
    return async (cursor, write) => {
      if (this.#isTransactional) {
        throw new StepsUnavailableError(
          'step.checkpoint',
          `the transactional step "${this.#name}" is stored as a whole`,
          'Use a step without `transactional`, and pass a function to `checkpoint`.',
        );
      }
      if (this.#isLate) {
        throw new StepTimeoutError(this.#name, this.#timeout as number);
      }
      if (this.#hasEnded) {
        throw new RunEndedError('step.checkpoint', 'step');
      }
      await this.#run.cursors.store(this.#name, () => this.storeCursor(cursor, write));
      if (this.#run.mustReturn()) {
        this.#suspend?.();
        await new Promise<never>(() => undefined);
      }
    };
  }

  /**
   * Calls the function of the step.
   *
   * @returns its result, or `SUSPENDED`.
   * @throws what it throws; StepTimeoutError.
   */
  async perform(body: () => unknown): Promise<unknown> {
    const suspended = new Promise<typeof SUSPENDED>((resolve) => {
      this.#suspend = () => resolve(SUSPENDED);
    });
    const working = Promise.race([(async () => withinStep(this.#run, this.#name, body))(), suspended]);
    try {
      return await (this.#timeout === undefined ? working : this.inTime(working, this.#timeout));
    } finally {
      this.#hasEnded = true;
      await this.#run.cursors.idle(this.#name);
    }
  }

  /** A function that is late still ends before the step is tried again: JavaScript cannot stop it. */
  private async inTime(working: Promise<unknown>, timeout: number): Promise<unknown> {
    const error = new StepTimeoutError(this.#name, timeout);
    const timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller?.abort(error);
    }, timeout);
    const result = await working
      .finally(() => clearTimeout(timer))
      .catch((thrown: unknown) => {
        throw this.#isLate ? error : thrown;
      });
    if (this.#isLate && result !== SUSPENDED) {
      throw error;
    }
    return result;
  }

  private async storeCursor(cursor: unknown, write: ((manager: EntityManager) => unknown) | undefined): Promise<void> {
    const { text, stored } = await storeCursor(this.#run, { kind: 'step', name: this.#name }, cursor, write);
    this.storedCursor = stored;
    this.#cursorText = text;
    this.failuresSoFar = 0;
  }
}
