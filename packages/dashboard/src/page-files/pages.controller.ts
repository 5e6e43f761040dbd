import { Get, Req, Res, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { ApiProblem } from '../api/api-problem.js';
import { type PlatformRequest, type PlatformResponse, send, sendProblem } from '../api/exchange.js';
import { behindGuards } from '../behind-guards.js';
import type { ResolvedExtras } from '../dashboard-extras.js';
import { routeAllBelow } from '../route-all-below.js';
import { basePath, pathBelow } from './base-path.js';
import { PageFiles } from './page-files.js';

/** Nothing of another origin, and nothing inline. Style attributes that scripts set by the DOM are no matter of it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const YEAR = 365 * 24 * 3_600;

/** Says which paths the pages have: all. */
export function routePages(controller: Type, { httpAdapter }: HttpAdapterHost): void {
  routeAllBelow(controller, { page: Get }, httpAdapter);
}

/** The pages and their files. Of a path below that is no file the page itself knows what it shows. */
export function pagesController(extras: ResolvedExtras): Type {
  class DashboardPagesController {
    constructor(
      readonly files: PageFiles,
      readonly host: HttpAdapterHost,
    ) {}

    page(@Req() request: PlatformRequest, @Res() response: PlatformResponse): void {
      const adapter = this.host.httpAdapter;
      const path = pathBelow(request);
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
  Reflect.defineMetadata('design:paramtypes', [PageFiles, HttpAdapterHost], DashboardPagesController);
  return behindGuards(DashboardPagesController, extras, '');
}
