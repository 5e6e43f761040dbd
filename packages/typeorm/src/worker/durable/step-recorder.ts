import { AsyncResource } from 'node:async_hooks';

import { Batcher } from '../../async/batcher.js';
import { WakeUp } from '../../async/wake-up.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { isPermanentError } from '../../errors/is-permanent-error.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { lockOneRunning } from '../../store/base/locks/lock-running.js';
import { type FoundSteps, findSteps } from '../../store/steps/find-steps.js';
import { MOST_STEPS, type RecordedStep, isStepStored, recordSteps } from '../../store/steps/record-steps.js';
import { type NewChildren, startChildren } from '../../store/steps/start-children.js';
import {
  type ChildrenAnswer,
  type ChildrenRequest,
  haveChildrenEnded,
  takeChildren,
} from '../../store/steps/take-children.js';
import { type SignalAnswer, type SignalRequest, hasSignal, takeSignal } from '../../store/steps/take-signals.js';
import type { Completion } from '../completing/completion-batcher.js';
import { retryWhileLocked } from '../completing/retry-while-locked.js';

/** How many statements are sent at a time: while one commits, the server works on the next. */
const WRITERS = 2;
/** How many steps a second statement needs to start beside the first. */
const SECOND_BATCH_FROM = 50;
/** The pause before a step that could not be stored is stored again, in ms: the first and the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** How often that is tried. */
const MOST_TRIES = 20;

/** Throws when a run must not go on: it was aborted. */
export type AssertMayWait = () => void;

/**
 * Records the steps of all runs of a worker: those that end in one turn of the event loop share a statement. Retries
 * until they are stored or lost, while the run may go on.
 */
export class StepRecorder {
  private readonly batcher: Batcher<RecordedStep, Completion>;
  /** Steps that an earlier try may have stored. */
  private readonly maybeStored = new WeakSet<RecordedStep>();
  private readonly pauses = new Set<WakeUp>();
  private hasGivenUp = false;

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {
    // Not in the asynchronous context of the run whose step happens to end first.
    const neutral = new AsyncResource('TableQueueSteps');
    const schedule = (begin: () => void) => setImmediate(() => neutral.runInAsyncScope(begin));
    const write = (steps: readonly RecordedStep[], again: boolean) => this.write(steps, again);
    this.batcher = new Batcher(write, MOST_STEPS, schedule, WRITERS, SECOND_BATCH_FROM);
  }

  /** From now on nothing is tried again. */
  giveUp(): void {
    this.hasGivenUp = true;
    this.pauses.forEach((pause) => pause.wake());
  }

  /** Reads the rows of a job. */
  async load({ id }: ClaimedJob, assertMayWait: AssertMayWait): Promise<FoundSteps> {
    const purpose = 'read the steps of a job';
    return this.persist(() => executeRead(this.engine, purpose, (dialect) => findSteps(dialect, id)), assertMayWait);
  }

  /**
   * Stores a step.
   *
   * @returns `lost` if another worker has the job.
   * @throws an error about the value, the reason of an abort, or the error of the database after the last try.
   */
  record(step: RecordedStep, assertMayWait: AssertMayWait): Promise<'ours' | 'lost'> {
    return this.persist(() => this.batcher.add(step), assertMayWait);
  }

  /** Whether a COMMIT whose answer was lost has stored a step. */
  async wasStored(step: RecordedStep, assertMayWait: AssertMayWait): Promise<'stored' | 'not stored' | 'lost'> {
    const options = { purpose: 'look up a step', atomic: true };
    return this.persist(
      () =>
        this.engine.execute(function* (dialect) {
          const lock = yield* lockOneRunning(dialect, step.job);
          if (lock !== 'ours') {
            return lock;
          }
          return (yield* isStepStored(dialect, step)) ? ('stored' as const) : ('not stored' as const);
        }, options),
      assertMayWait,
    );
  }

  /** Takes a signal for a wait. */
  async takeSignal(request: SignalRequest, assertMayWait: AssertMayWait): Promise<Exclude<SignalAnswer, 'busy'>> {
    const read = { purpose: 'look for a signal', readOnly: true };
    const write = { purpose: 'take a signal', atomic: true };
    return this.persist(async (wasTried) => {
      const mayBeThere = wasTried || request.isLate;
      if (!mayBeThere && !(await this.engine.execute((dialect) => hasSignal(dialect, request), read))) {
        return 'none';
      }
      return this.engine.execute((dialect, again) => takeSignal(dialect, request, again || wasTried), write);
    }, assertMayWait);
  }

  /** Starts children. */
  async startChildren(children: NewChildren, assertMayWait: AssertMayWait): Promise<'started' | 'lost'> {
    const options = { purpose: 'start children', atomic: true };
    return this.persist((wasTried) => {
      return this.engine.execute((dialect, again) => startChildren(dialect, children, again || wasTried), options);
    }, assertMayWait);
  }

  /** Takes the outcomes of children. */
  async takeChildren(request: ChildrenRequest, assertMayWait: AssertMayWait): Promise<Exclude<ChildrenAnswer, 'busy'>> {
    const read = { purpose: 'look for the outcomes of children', readOnly: true };
    const write = { purpose: 'take the outcomes of children', atomic: true };
    return this.persist(async (wasTried) => {
      if (!wasTried && !(await this.engine.execute((dialect) => haveChildrenEnded(dialect, request), read))) {
        return 'none';
      }
      return this.engine.execute((dialect, again) => takeChildren(dialect, request, again || wasTried), write);
    }, assertMayWait);
  }

  private async write(steps: readonly RecordedStep[], again: boolean): Promise<readonly Completion[]> {
    const isRepeated = again || steps.some((step) => this.maybeStored.has(step));
    steps.forEach((step) => this.maybeStored.add(step));
    const { stored, busy } = await this.engine.execute(
      (dialect, isRetry) => recordSteps(dialect, steps, isRetry || isRepeated),
      { purpose: 'record steps' },
    );
    if (stored.length === steps.length) {
      return steps.map(() => 'ours');
    }
    const [ours, later] = [new Set(stored), new Set(busy)];
    return steps.map((step) => (ours.has(step) ? 'ours' : later.has(step) ? 'busy' : 'lost'));
  }

  /** @param write gets whether an earlier try may have taken effect. */
  private async persist<T>(
    write: (wasTried: boolean) => Promise<T | 'busy'>,
    assertMayWait: AssertMayWait,
  ): Promise<T> {
    let pause = FIRST_PAUSE;
    let wasTried = false;
    const tryOnce = () => {
      const isRepeated = wasTried;
      wasTried = true;
      return write(isRepeated);
    };
    for (let tries = 1; ; tries++) {
      try {
        const result = await tryOnce();
        return result === 'busy' ? await retryWhileLocked(tryOnce, assertMayWait) : result;
      } catch (error) {
        if (isPermanentError(error) || this.hasGivenUp || tries === MOST_TRIES) {
          throw error;
        }
        assertMayWait();
        logError(this.logger, 'A step could not be stored or read and is tried again', error);
        await this.pause(pause);
        assertMayWait();
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
  }

  private async pause(milliseconds: number): Promise<void> {
    const pause = new WakeUp();
    this.pauses.add(pause);
    await pause.sleep(milliseconds);
    this.pauses.delete(pause);
  }
}
