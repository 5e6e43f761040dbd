import { HttpException } from '@nestjs/common';
import {
  DatabaseBusyError,
  DatabaseUnavailableError,
  DuplicateJobError,
  EventJobError,
  EncodedPayloadsError,
  InvalidNameError,
  InvalidOptionError,
  InvalidPayloadError,
  JobGroupError,
  JobKeyChangedError,
  JobLockedError,
  JobNotFoundError,
  JobOrderError,
  JobStateError,
  JobStepsError,
  MissingTablesError,
  MissingUpcasterError,
  PayloadTooLargeError,
  QueueFullError,
  UnknownCodecError,
  UnknownOptionError,
  UnserializablePayloadError,
  UpcasterFailedError,
} from '@tablequeue/typeorm';

import type { Problem } from '../contract/index.js';
import { ApiProblem } from './api-problem.error.js';

const DATABASE_ERRORS = [DatabaseUnavailableError, DatabaseBusyError, MissingTablesError];

const PAYLOAD_ERRORS = [
  InvalidPayloadError,
  MissingUpcasterError,
  PayloadTooLargeError,
  UnserializablePayloadError,
  UpcasterFailedError,
];

/** The refusals of actions on one job. */
const CONFLICTS = [
  EventJobError,
  JobGroupError,
  JobKeyChangedError,
  JobLockedError,
  JobOrderError,
  JobStateError,
  JobStepsError,
  QueueFullError,
  UnknownCodecError,
];

/** Parameters whose name differs from the option that they are passed as. */
const PARAMETERS: Readonly<Record<string, string>> = { after: 'cursor', before: 'to', errorIncludes: 'error' };

/** Converts any error to a problem response. An unexpected error reveals nothing. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ApiProblem) {
    return error.problem;
  }
  if (error instanceof HttpException) {
    return fromStatus(error.getStatus(), error.message, 'refused');
  }
  if (error instanceof InvalidOptionError || error instanceof UnknownOptionError) {
    return new ApiProblem('invalid-request', error.message, PARAMETERS[error.option] ?? error.option).problem;
  }
  if (error instanceof EncodedPayloadsError) {
    return new ApiProblem('invalid-request', error.message, 'payload').problem;
  }
  if (error instanceof InvalidNameError) {
    return new ApiProblem('invalid-request', error.message).problem;
  }
  if (error instanceof JobNotFoundError) {
    return new ApiProblem('not-found', error.message, 'id').problem;
  }
  if (PAYLOAD_ERRORS.some((each) => error instanceof each)) {
    return new ApiProblem('invalid-request', (error as Error).message, 'payload').problem;
  }
  if (error instanceof DuplicateJobError) {
    // Its message has the key, which may be made from a payload that is hidden.
    return new ApiProblem('conflict', `Job ${error.id} has the unique key of this job.`).problem;
  }
  if (CONFLICTS.some((each) => error instanceof each)) {
    return new ApiProblem('conflict', (error as Error).message).problem;
  }
  if (DATABASE_ERRORS.some((each) => error instanceof each)) {
    return new ApiProblem('database-unavailable', (error as Error).message).problem;
  }
  return new ApiProblem('unexpected', 'The request failed. See the log of the application for the cause.').problem;
}

/** Converts an error of Express, Fastify or their plugins before a route was found. */
export function platformErrorToProblem(error: unknown): Problem {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 0;
  if (status >= 500 && status < 600) {
    return fromStatus(status, 'The server refused the request. See its log for the cause.', 'refused');
  }
  return status >= 400 && status < 500
    ? fromStatus(status, (error as Error).message, 'invalid-request')
    : toProblem(error);
}

/** Keeps the status that the application or the platform chose. */
function fromStatus(status: number, detail: string, otherwise: 'refused' | 'invalid-request'): Problem {
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
