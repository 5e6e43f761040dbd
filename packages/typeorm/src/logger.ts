import { DatabaseUnavailableError, InvalidOptionError } from './errors/index.js';
import { type Redact, unredacted } from './redaction.js';

/** Where the queue reports what nobody awaits. Nest's `Logger` fits. */
export interface QueueLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
}

/** Warnings and errors to the console, nothing else. */
export const consoleLogger: QueueLogger = {
  log: () => undefined,
  warn: (message) => console.warn(`[tablequeue] ${message}`),
  error: (message, stack) => console.error(`[tablequeue] ${message}`, ...(stack ? [stack] : [])),
};

/** A logger that need not be told again and again that the database is away. */
export interface OutageLogger extends QueueLogger {
  /** Whether to tell of a failure of this kind, which was the database's. */
  shouldLog(what: string): boolean;
}

/** Reports an error with its stack; also one whose getters throw, or whose message is no text. Never throws by itself. */
export function logError(logger: QueueLogger | OutageLogger, what: string, error: unknown): void {
  if (error instanceof DatabaseUnavailableError && 'shouldLog' in logger && !logger.shouldLog(what)) {
    return;
  }
  const [message, stack] = textOf(error);
  logger.error(`${what}: ${message}`, stack);
}

function textOf(error: unknown): [message: string, stack: string | undefined] {
  try {
    if (!(error instanceof Error)) {
      return [String(error), undefined];
    }
    const { message, stack }: { message: unknown; stack?: unknown } = error;
    return [String(message), typeof stack === 'string' ? stack : undefined];
  } catch {
    return ['an error whose text cannot be read', undefined];
  }
}

/** A logger that is told redacted texts. */
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
 * A logger that never throws: what it reports must not stop a worker.
 *
 * @throws InvalidOptionError for what is no logger.
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
