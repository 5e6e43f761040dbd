import { Logger } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';

import { type PlatformResponse, sendProblem } from './exchange.js';
import { toProblem } from './to-problem.js';

const LOGGER = new Logger('TableQueueDashboard');

/**
 * Ends a request with what an error means, unless it was answered before, as where an interceptor fails behind the answer. One
 * that nobody foresaw is written to the log, as Nest does it.
 */
export function answerError(
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
