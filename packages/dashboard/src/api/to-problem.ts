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
  return new ApiProblem('unexpected', 'Nobody foresaw this. The log of the application may say why.').problem;
}

/** What an error means with which Express, Fastify or what is plugged into them refuses a request before there is a route. */
export function refusalToProblem(error: unknown): Problem {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 0;
  if (status >= 500 && status < 600) {
    return ofStatus(status, 'The server refuses it. Its log may say why.', 'refused');
  }
  return status >= 400 && status < 500
    ? ofStatus(status, (error as Error).message, 'invalid-request')
    : toProblem(error);
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
