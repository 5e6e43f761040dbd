import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { type PlatformResponse, sendJson } from './exchange.js';
import { FORESEEN, toProblem } from './to-problem.js';

/**
 * Answers what is wrong with a request as a problem, also what the application's guards say. An error that nobody
 * foresaw is left to the application's filters, which may report it somewhere.
 */
@Injectable()
@Catch(...FORESEEN)
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: Error, host: ArgumentsHost): void {
    const problem = toProblem(error);
    const response = host.switchToHttp().getResponse<PlatformResponse>();
    sendJson(this.host.httpAdapter, response, problem.status, problem, 'application/problem+json');
  }
}
