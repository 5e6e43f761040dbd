import { Problem } from '../contract/index.js';
import { COMPONENTS, type Properties, type Schema, described, text } from '../contract/json-schema.js';
import { VERSION } from '../dashboard.constants.js';
import { type Route, isWrite } from './route.js';

const DATABASE = described(text(255), 'the name of the data source; default: the first one');

/** The problems of every request. */
const PROBLEMS = {
  400: 'A parameter is invalid; `parameter` names it.',
  401: 'The user is not signed in, by a guard of the application.',
  403: 'A guard of the application refused the request.',
  404: 'There is no such database.',
  500: 'An unexpected error. See the log of the application.',
  503: 'The database does not answer.',
};

/** The further problems of a request that changes something. */
const WRITE_PROBLEMS = {
  403: 'A guard refused the request, the user is a reader, or a page of another origin sent it.',
  413: 'The body is too large for the application.',
  415: 'The body is not JSON.',
};

const LIVE = {
  operationId: 'live',
  summary: 'The overview as server-sent events, every 1 to 3 seconds',
  parameters: [parameter('database', DATABASE, 'query', false)],
  responses: {
    200: {
      description:
        'Events `overview`, each with an Overview, and `problem`, each with a Problem. It ends after five minutes.',
      content: { 'text/event-stream': { schema: text() } },
    },
    ...problems(PROBLEMS),
  },
};

/** Describes the API in OpenAPI 3.1, from the routes that validate and process requests. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = `/${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  paths['/live'] = { get: LIVE };
  return {
    openapi: '3.1.0',
    info: { title: 'Tablequeue dashboard', version: VERSION, license: { name: 'MIT', identifier: 'MIT' } },
    // Relative to the URL of this document.
    servers: [{ url: '.' }],
    paths,
    components: { schemas: COMPONENTS },
  };
}

function operation(route: Route): object {
  const { name, summary, params = {}, query = {}, response } = route;
  return {
    operationId: name,
    summary,
    parameters: [
      ...parameters(params, 'path', true),
      ...parameters(query.required ?? {}, 'query', true),
      ...parameters({ ...query.optional, database: DATABASE }, 'query', false),
      ...(isWrite(route) ? [parameter('X-Tablequeue-Dashboard', { const: '1' }, 'header', true)] : []),
    ],
    ...(isWrite(route) && {
      requestBody: { required: true, content: { 'application/json': { schema: route.body ?? { type: 'object' } } } },
    }),
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: response } } },
      ...problems({ ...PROBLEMS, ...(isWrite(route) && WRITE_PROBLEMS), ...route.problems }),
    },
  };
}

function parameters(all: Properties, location: string, required: boolean): object[] {
  return Object.entries(all).map(([name, schema]) => parameter(name, schema, location, required));
}

function parameter(name: string, { description, ...schema }: Schema, location: string, required: boolean): object {
  return { name, in: location, required, ...(description !== undefined && { description }), schema };
}

function problems(all: Readonly<Partial<Record<number, string>>>): object {
  const content = { 'application/problem+json': { schema: Problem } };
  return Object.fromEntries(Object.entries(all).map(([status, description]) => [status, { description, content }]));
}
