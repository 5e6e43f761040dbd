import { Get, Req, Res, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { ApiProblem } from '../api/api-problem.error.js';
import { DashboardController } from '../http/dashboard-controller.decorator.js';
import { type PlatformRequest, type PlatformResponse, send, sendProblem } from '../http/platform-http.js';
import { addWildcardRoutes } from '../http/wildcard-routes.js';
import type { ResolvedExtras } from '../options/dashboard.extras.js';
import { basePath, subpathOf } from './base-path.js';
import { CONTENT_SECURITY_POLICY } from './content-security-policy.js';
import { PageFiles } from './page.files.js';

const YEAR = 365 * 24 * 3_600;

export function routePagesController(controller: Type, { httpAdapter }: HttpAdapterHost): void {
  addWildcardRoutes(controller, { page: Get }, httpAdapter);
}

/** Makes the controller of the pages and their files. For a path that is not a file, the page itself routes. */
export function createPagesController(extras: ResolvedExtras): Type {
  @DashboardController(extras, '')
  class DashboardPagesController {
    constructor(
      readonly files: PageFiles,
      readonly host: HttpAdapterHost,
    ) {}

    page(@Req() request: PlatformRequest, @Res() response: PlatformResponse): void {
      const adapter = this.host.httpAdapter;
      const path = subpathOf(request);
      const file = this.files.find(path);
      if (file) {
        const maxAge = file.isImmutable ? `private, max-age=${YEAR}, immutable` : 'private, no-cache';
        send(adapter, response, 200, { 'Content-Type': file.type, 'Cache-Control': maxAge }, file.open());
      } else if (/^assets(?:\/|$)/.test(path)) {
        sendProblem(adapter, response, new ApiProblem('not-found', `There is nothing at "${path}".`).problem);
      } else {
        const headers = {
          'Content-Type': 'text/html; charset=utf-8',
          'Cache-Control': 'no-store',
          'Content-Security-Policy': CONTENT_SECURITY_POLICY,
          'X-Frame-Options': 'DENY',
        };
        send(adapter, response, 200, headers, this.files.page(basePath(request, path, extras.path)));
      }
    }
  }
  return DashboardPagesController;
}
