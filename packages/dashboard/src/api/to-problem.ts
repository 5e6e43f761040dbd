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

/** The errors that mean something to the one who asked. */
export const FORESEEN = [
  ApiProblem,
  HttpException,
  InvalidOptionError,
  UnknownOptionError,
  InvalidNameError,
  DatabaseUnavailableError,
  DatabaseBusyError,
  MissingTablesError,
];

/** Parameters that are other words than the options they become. */
const PARAMETERS: Readonly<Record<string, string>> = { after: 'cursor', before: 'to', errorIncludes: 'error' };

/** What one of them means. */
export function toProblem(error: Error): Problem {
  if (error instanceof ApiProblem) {
    return error.problem;
  }
  if (error instanceof HttpException) {
    return fromApplication(error).problem;
  }
  if (error instanceof InvalidOptionError || error instanceof UnknownOptionError) {
    return new ApiProblem('invalid-request', error.message, PARAMETERS[error.option] ?? error.option).problem;
  }
  if (error instanceof InvalidNameError) {
    return new ApiProblem('invalid-request', error.message).problem;
  }
  return new ApiProblem('database-unavailable', error.message).problem;
}

/** What a guard or an interceptor of the application has thrown keeps its status. */
function fromApplication(error: HttpException): ApiProblem {
  const status = error.getStatus();
  const name = status === 401 ? 'unauthenticated' : status === 403 ? 'forbidden' : 'refused';
  return new ApiProblem(name, error.message, undefined, status);
}
