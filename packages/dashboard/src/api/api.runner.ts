import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import { object, text } from '../contract/json-schema.js';
import { RESOLVED_OPTIONS } from '../dashboard.constants.js';
import { type Database, DatabaseRegistry } from '../databases/database.registry.js';
import { type PlatformRequest, type PlatformResponse, sendJson } from '../http/platform-http.js';
import type { ResolvedOptions } from '../options/dashboard.options.js';
import { ROUTES } from '../routes/index.js';
import { ApiProblem } from './api-problem.error.js';
import { openApiDocument } from './openapi-document.js';
import { type Caller, type Route, isWrite } from './route.js';
import { assertSameOrigin } from './same-origin.js';
import { SchemaValidator } from './schema-validator.js';

/** The length of a user's name in the audit log, in characters. */
const LONGEST_NAME = 191;

/** Checks a value, and throws if it is invalid. */
type Check = (value: unknown) => void;

interface Checks {
  readonly params: Check;
  readonly query: Check;
  readonly body: Check | undefined;
}

type Call = Parameters<Route['run']>[0];

/** Runs the routes of the API: identifies the user, validates the request, and finds its database. */
@Injectable()
export class ApiRunner {
  private readonly checks = new Map<Route, Checks>();
  private readonly openApi = openApiDocument(ROUTES);

  constructor(
    private readonly databases: DatabaseRegistry,
    private readonly host: HttpAdapterHost,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    const urls = new SchemaValidator({ coerceTypes: true });
    const bodies = new SchemaValidator({ coerceTypes: false });
    for (const route of ROUTES) {
      const { required, optional } = route.query ?? {};
      this.checks.set(route, {
        params: urls.compile(object(route.params ?? {}), 'path'),
        query: urls.compile(object(required ?? {}, { ...optional, database: text(255) }), 'query'),
        body: route.body && bodies.compile(route.body, 'body'),
      });
    }
  }

  /** @throws ApiProblem if the request is invalid or not allowed, and the errors of the route. */
  async run(route: Route, request: PlatformRequest, response: PlatformResponse): Promise<void> {
    const caller = await this.callerOf(request);
    if (isWrite(route)) {
      assertSameOrigin(request, this.options.origins);
      if (caller.role !== 'operator') {
        throw new ApiProblem('read-only', `To ${route.summary.toLowerCase()}, you need the role operator.`);
      }
    }
    const { params, query, body } = this.validated(route, request);
    const result = await this.call(route, {
      params,
      query,
      body,
      caller,
      database: this.databaseOf(query),
      databases: this.databases.names,
      options: this.options,
      openApi: this.openApi,
    });
    sendJson(this.host.httpAdapter, response, result);
  }

  /** @throws ApiProblem if there is no database of this name. */
  databaseOf({ database: name }: { readonly database?: string }): Database {
    const found = this.databases.find(name);
    if (!found) {
      const names = this.databases.names.join(', ');
      throw new ApiProblem('not-found', `There is no database "${name}". The dashboard shows: ${names}.`, 'database');
    }
    return found;
  }

  /** Clears the shared reads after a change, even if it failed: it may have changed something. */
  private async call(route: Route, call: Call): Promise<unknown> {
    try {
      return await route.run(call);
    } finally {
      if (isWrite(route) && !route.isReadOnly) {
        call.database.overview.invalidate();
        call.database.reads.clear();
      }
    }
  }

  private async callerOf(request: PlatformRequest): Promise<Caller> {
    const name = await this.options.who(request);
    return { name: name?.slice(0, LONGEST_NAME) || null, role: await this.options.role(request) };
  }

  /** Copies the parameters, because the checks convert texts to numbers in place. */
  private validated(route: Route, request: PlatformRequest) {
    const checks = this.checks.get(route) as Checks;
    const params = { ...(request.params as Record<string, string>) };
    const query = { ...(request.query as Record<string, string>) };
    checks.params(params);
    checks.query(query);
    checks.body?.(request.body);
    return { params, query, body: checks.body ? request.body : undefined };
  }
}
