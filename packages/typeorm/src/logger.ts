import { DatabaseUnavailableError, InvalidOptionError } from './errors/index.js';
import { messageOf, toError } from './errors/thrown.js';
import { type Redact, unredacted } from './redaction.js';

/** Receives warnings and errors that no call returns. The `Logger` of Nest fits. */
export interface QueueLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
}

/** Writes warnings and errors to the console, and drops the rest. */
export const consoleLogger: QueueLogger = {
  log: () => undefined,
  warn: (message) => console.warn(`[tablequeue] ${message}`),
  error: (message, stack) => console.error(`[tablequeue] ${message}`, ...(stack ? [stack] : [])),
};

/** A logger that decides whether to log another error of an unavailable database. */
export interface OutageLogger extends QueueLogger {
  /** Returns whether to log a failure of the database while doing `what`. */
  shouldLog(what: string): boolean;
}

/** Logs an error with its stack. Never throws, also if the getters of the error do, or if its message is not a text. */
export function logError(logger: QueueLogger | OutageLogger, what: string, thrown: unknown): void {
  const error = toError(thrown);
  if (error instanceof DatabaseUnavailableError && 'shouldLog' in logger && !logger.shouldLog(what)) {
    return;
  }
  logger.error(`${what}: ${messageOf(error)}`, stackOf(error));
}

function stackOf(error: Error): string | undefined {
  try {
    return typeof error.stack === 'string' ? error.stack : undefined;
  } catch {
    return undefined;
  }
}

/** Makes a logger that redacts its texts. */
export function redactingLogger(logger: QueueLogger, redact: Redact): QueueLogger {
  if (redact === unredacted) {
    return logger;
  }
  return {
    log: (message) => logger.log(redact(message)),
    warn: (message) => logger.warn(redact(message)),
    error: (message, stack) => logger.error(redact(message), stack === undefined ? undefined : redact(stack)),
  };
}

const METHODS = ['log', 'warn', 'error'] as const;

/**
 * Makes a logger that never throws: an error of the logger must not stop a worker.
 *
 * @throws InvalidOptionError for a value that is not a logger.
 */
export function safeLogger(logger: QueueLogger): QueueLogger {
  if (!METHODS.every((method) => typeof (logger as QueueLogger | null)?.[method] === 'function')) {
    throw new InvalidOptionError('logger', logger, 'an object with the methods log, warn and error');
  }
  const careful = (report: () => void) => {
    try {
      report();
    } catch (error) {
      consoleLogger.error(`The logger failed: ${String(error)}`);
    }
  };
  return {
    log: (message) => careful(() => logger.log(message)),
    warn: (message) => careful(() => logger.warn(message)),
    error: (message, stack) => careful(() => logger.error(message, stack)),
  };
}
