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

/** Reports an error with its stack. */
export function logError(logger: QueueLogger, what: string, error: unknown): void {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  logger.error(`${what}: ${message}`, stack);
}
