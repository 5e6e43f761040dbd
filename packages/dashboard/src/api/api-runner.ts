import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import type { ResolvedOptions } from '../dashboard-options.js';
import { RESOLVED_OPTIONS } from '../dashboard.constants.js';
import { type Database, Databases } from '../databases.js';
import { ROUTES } from '../routes/index.js';
import { object, text } from '../schema/json-schema.js';
import { Validator } from '../schema/validator.js';
import { ApiProblem } from './api-problem.js';
import { type PlatformRequest, type PlatformResponse, sendJson } from './exchange.js';
import { openApiDocument } from './openapi-document.js';
import { type Caller, type Route, type RouteCall, type RouteParts, isWrite } from './route.js';
import { assertFromPages } from './same-origin.js';

/** Of whoever does something, as far as it is noted. */
const LONGEST_NAME = 191;

/** Checks a value, and throws. */
type Check = (value: unknown) => void;

/** The checks of one route. */
interface Checks {
  readonly params: Check;
  readonly query: Check;
  readonly body: Check | undefined;
}

/** Runs the routes of the API: who asks, what for, of which database. */
@Injectable()
export class ApiRunner {
  private readonly checks = new Map<Route, Checks>();
  private readonly description = openApiDocument(ROUTES);

  constructor(
    private readonly databases: Databases,
    private readonly host: HttpAdapterHost,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    const texts = new Validator(true);
    const json = new Validator(false);
    for (const route of ROUTES) {
      const { required, optional } = route.query ?? {};
      this.checks.set(route, {
        params: texts.check(object(route.params ?? {}), 'path'),
        query: texts.check(object(required ?? {}, { ...optional, database: text(255) }), 'query'),
        body: route.body && json.check(route.body, 'body'),
      });
    }
  }

  /** @throws ApiProblem, and what the route throws. */
  async run(route: Route, request: PlatformRequest, response: PlatformResponse): Promise<void> {
    const caller = await this.callerOf(request);
    if (isWrite(route)) {
      assertFromPages(request, this.options.origins);
      if (caller.role !== 'operator') {
        throw new ApiProblem('read-only', `To ${route.summary.toLowerCase()} takes the role of an operator.`);
      }
    }
    const { params, query, body } = this.partsOf(route, request);
    const answer = await this.answerOf(route, {
      params,
      query,
      body,
      caller,
      database: this.databaseOf(query),
      databases: this.databases.names,
      options: this.options,
      description: this.description,
    });
    sendJson(this.host.httpAdapter, response, answer);
  }

  /** Behind a change, also one that ended half-way, nothing is shown that was read before. */
  private async answerOf(route: Route, call: RouteCall<RouteParts>): Promise<unknown> {
    try {
      return await route.run(call);
    } finally {
      if (isWrite(route) && !route.isHarmless) {
        call.database.overview.forget();
        call.database.readings.forget();
      }
    }
  }

  /** @throws ApiProblem */
  databaseOf({ database: name }: { readonly database?: string }): Database {
    const found = this.databases.find(name);
    if (!found) {
      const names = this.databases.names.join(', ');
      throw new ApiProblem('not-found', `There is no database "${name}" here. There is: ${names}.`, 'database');
    }
    return found;
  }

  private async callerOf(request: PlatformRequest): Promise<Caller> {
    const name = await this.options.who(request);
    return { name: name?.slice(0, LONGEST_NAME) || null, role: await this.options.role(request) };
  }

  /** Copies: the checks make numbers of texts. */
  private partsOf(route: Route, request: PlatformRequest) {
    const { params: checkParams, query: checkQuery, body: checkBody } = this.checks.get(route) as Checks;
    const params = { ...(request.params as object) };
    const query = { ...(request.query as object) } as { readonly database?: string };
    checkParams(params);
    checkQuery(query);
    checkBody?.(request.body);
    return { params, query, body: checkBody ? (request.body as object) : undefined };
  }
}
