import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import { type AbstractHttpAdapter, HttpAdapterHost } from '@nestjs/core';

import { type PlatformResponse, sendProblem } from '../http/platform-http.js';
import { toProblem } from './to-problem.js';

const LOGGER = new Logger('TableQueueDashboard');

/** Responds with a problem to every error below the path of the API, including those of the application's guards. */
@Injectable()
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    sendError(this.host.httpAdapter, host.switchToHttp().getResponse<PlatformResponse>(), error);
  }
}

/**
 * Responds with the problem that an error means. Logs unexpected errors. Sends nothing if the response was sent
 * already, for example because an interceptor failed after it.
 */
export function sendError(
  adapter: AbstractHttpAdapter,
  response: PlatformResponse,
  error: unknown,
  problem = toProblem(error),
): void {
  if (problem.type === 'tablequeue:unexpected') {
    LOGGER.error(error);
  }
  if (!adapter.isHeadersSent(response)) {
    sendProblem(adapter, response, problem);
  }
}
