import { inspect } from 'node:util';

import { ConsoleLogger, type LogLevel, type LoggerService } from '@nestjs/common';
import type { JobLog } from '@tablequeue/typeorm';

import { useCurrentJobLog } from './current-job.log.js';

type NestLevel = 'log' | 'error' | 'warn' | 'debug' | 'verbose' | 'fatal';

/** The level of a line in the log of its job. */
const LEVELS: Readonly<Record<NestLevel, keyof JobLog>> = {
  log: 'info',
  error: 'error',
  warn: 'warn',
  debug: 'debug',
  verbose: 'debug',
  fatal: 'error',
};

/**
 * A logger of Nest that also stores what a handler logs, in the log of its job. All lines go to another logger first,
 * also those outside of jobs.
 *
 * @example
 * ```ts
 * const app = await NestFactory.create(AppModule, { bufferLogs: true });
 * app.useLogger(new JobLogger());
 * ```
 */
export class JobLogger implements LoggerService {
  private readonly currentLog = useCurrentJobLog();

  /** @param logger where the lines go too. Default: a `ConsoleLogger`. */
  constructor(private readonly logger: LoggerService = new ConsoleLogger()) {}

  /** Logs a line, as `info` in the log of a job. */
  log(message: unknown, ...rest: unknown[]): void {
    this.logger.log(message, ...rest);
    this.add('log', message, rest);
  }

  /** Logs an error. Its stack is a field of the line in the log of a job. */
  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error(message, ...rest);
    this.add('error', message, rest);
  }

  /** Logs a warning. */
  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(message, ...rest);
    this.add('warn', message, rest);
  }

  /** Logs a line that helps to debug. */
  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug?.(message, ...rest);
    this.add('debug', message, rest);
  }

  /** Logs a line with more details, as `debug` in the log of a job. */
  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.verbose?.(message, ...rest);
    this.add('verbose', message, rest);
  }

  /** Logs an error that ends the process, as `error` in the log of a job. */
  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal?.(message, ...rest);
    this.add('fatal', message, rest);
  }

  /** Sets the levels of the other logger. A `ConsoleLogger` also decides with them what the logs of jobs get. */
  setLogLevels(levels: LogLevel[]): void {
    this.logger.setLogLevels?.(levels);
  }

  private add(level: NestLevel, message: unknown, rest: readonly unknown[]): void {
    const log = this.currentLog();
    if (log && !(this.logger instanceof ConsoleLogger && !this.logger.isLevelEnabled(level))) {
      log[LEVELS[level]](textOf(message), fieldsOf(rest, level));
    }
  }
}

function textOf(message: unknown): string {
  if (typeof message === 'string') {
    return message;
  }
  return message instanceof Error ? (message.stack ?? String(message)) : inspect(message, { depth: 4 });
}

/** `Logger` passes its context last, and the stack of an error before it. */
function fieldsOf(rest: readonly unknown[], level: NestLevel): Readonly<Record<string, unknown>> | undefined {
  const fields: Record<string, unknown> = {};
  const last = rest.at(-1);
  const hasContext = typeof last === 'string' && !isStack(last);
  const values = hasContext ? rest.slice(0, -1) : rest;
  if (hasContext) {
    fields.context = last;
  }
  const others: unknown[] = [];
  for (const value of values) {
    if (level === 'error' && typeof value === 'string') {
      fields.stack = value;
    } else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      Object.assign(fields, value);
    } else if (value !== undefined) {
      others.push(value);
    }
  }
  if (others.length > 0) {
    fields.values = others;
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function isStack(text: string): boolean {
  return /^.*\n +at /.test(text);
}
