import { InvalidOptionError } from '../errors/index.js';
import { type QueueLogger, logError } from '../logger.js';
import { type Redact, redactedError, unredacted } from '../redaction.js';
import type { Instrumentation, Processing, Sending, Stepping } from './instrumentation.js';

const METHODS = ['send', 'process', 'step', 'recordOutcome', 'observe'] as const;

/** Replaces the operation of an instrumentation that has failed. */
const NOTHING: Sending & Processing & Stepping = {
  trace: undefined,
  run: (work) => work(),
  succeeded: () => undefined,
  failed: () => undefined,
  ended: () => undefined,
};

/**
 * Makes an instrumentation that never throws, and calls `work` exactly once: it must not affect jobs.
 *
 * @throws InvalidOptionError for a value that is not an instrumentation.
 */
export function safeInstrumentation(
  instrumentation: Instrumentation,
  logger: QueueLogger,
  redact: Redact = unredacted,
): Instrumentation {
  if (!METHODS.every((method) => typeof (instrumentation as Instrumentation | null)?.[method] === 'function')) {
    throw new InvalidOptionError(
      'instrumentation',
      instrumentation,
      `an object with the methods ${METHODS.join(', ')}, such as openTelemetry()`,
    );
  }
  const notify = (report: () => void): void => {
    attempt(logger, report, undefined);
  };
  return {
    send: (operation) => {
      const sending = attempt(logger, () => instrumentation.send(operation), NOTHING);
      return {
        trace: sending.trace,
        run: (work) => runOnce(logger, sending, work),
        succeeded: (id) => notify(() => sending.succeeded(id)),
        failed: (error) => notify(() => sending.failed(redactedError(error, redact))),
      };
    },
    process: (operation) => {
      const processing = attempt(logger, () => instrumentation.process(operation), NOTHING);
      return {
        run: (work) => runOnce(logger, processing, work),
        ended: (jobs) =>
          notify(() =>
            processing.ended(jobs.map((job) => ({ ...job, error: job.error && redactedError(job.error, redact) }))),
          ),
      };
    },
    step: (operation) => {
      const stepping = attempt(logger, () => instrumentation.step(operation), NOTHING);
      return {
        run: (work) => runOnce(logger, stepping, work),
        ended: (error) => notify(() => stepping.ended(error && redactedError(error, redact))),
      };
    },
    recordOutcome: (attempt) => notify(() => instrumentation.recordOutcome(attempt)),
    observe: (queue) => notify(() => instrumentation.observe(queue)),
  };
}

function attempt<T>(logger: QueueLogger, work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (error) {
    logError(logger, 'The instrumentation failed', error);
    return otherwise;
  }
}

function runOnce(logger: QueueLogger, within: Pick<Sending, 'run'>, work: () => void): void {
  let hasRun = false;
  const once = () => {
    if (!hasRun) {
      hasRun = true;
      work();
    }
  };
  attempt(logger, () => within.run(once), undefined);
  once();
}
