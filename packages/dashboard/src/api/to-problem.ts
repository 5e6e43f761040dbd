import { HttpException } from '@nestjs/common';
import {
  DatabaseBusyError,
  DatabaseUnavailableError,
  InvalidNameError,
  InvalidOptionError,
  MissingTablesError,
  UnknownOptionError,
} from '@tablequeue/typeorm';

import type { Problem } from '../contract/index.js';
import { ApiProblem } from './api-problem.js';

const DATABASE_ERRORS = [DatabaseUnavailableError, DatabaseBusyError, MissingTablesError];

/** Parameters that are other words than the options they become. */
const PARAMETERS: Readonly<Record<string, string>> = { after: 'cursor', before: 'to', errorIncludes: 'error' };

/** What an error, of whatever kind, means to the one who asked. Of one that nobody foresaw it tells nothing. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ApiProblem) {
    return error.problem;
  }
  if (error instanceof HttpException) {
    return ofStatus(error.getStatus(), error.message, 'refused');
  }
  if (error instanceof InvalidOptionError || error instanceof UnknownOptionError) {
    return new ApiProblem('invalid-request', error.message, PARAMETERS[error.option] ?? error.option).problem;
  }
  if (error instanceof InvalidNameError) {
    return new ApiProblem('invalid-request', error.message).problem;
  }
  if (DATABASE_ERRORS.some((each) => error instanceof each)) {
    return new ApiProblem('database-unavailable', (error as Error).message).problem;
  }
  if (isOfPlatform(error)) {
    return ofStatus(error.statusCode, error.message, 'invalid-request');
  }
  return new ApiProblem('unexpected', 'Nobody foresaw this. The log of the application may say why.').problem;
}

/** Whether it is one of those with which Express and Fastify refuse a request that they cannot read. */
function isOfPlatform(error: unknown): error is Error & { readonly statusCode: number } {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return error instanceof Error && typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}

/** What somebody else has thrown keeps its status. */
function ofStatus(status: number, detail: string, otherwise: 'refused' | 'invalid-request'): Problem {
  switch (status) {
    case 401:
      return new ApiProblem('unauthenticated', detail).problem;
    case 403:
      return new ApiProblem('forbidden', detail).problem;
    case 413:
      return new ApiProblem('too-large', detail).problem;
    case 415:
      return new ApiProblem('unsupported-media-type', detail).problem;
    default:
      return new ApiProblem(otherwise, detail, undefined, status).problem;
  }
}
