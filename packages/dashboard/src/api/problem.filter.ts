import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { answerError } from './answer-error.js';
import type { PlatformResponse } from './exchange.js';

/** Answers whatever is thrown as a problem, also what the application's guards say. */
@Injectable()
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    answerError(this.host.httpAdapter, host.switchToHttp().getResponse<PlatformResponse>(), error);
  }
}
