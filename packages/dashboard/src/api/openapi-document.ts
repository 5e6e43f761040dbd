import { COMPONENTS } from '../schema/components.js';
import { type Properties, type Schema, described, ref, text } from '../schema/json-schema.js';
import { VERSION } from '../version.js';
import { type Route, isWrite } from './route.js';

const DATABASE = described(text(255), 'the name of the data source; the first one unless said');

/** What can be wrong with every request. */
const PROBLEMS = {
  400: 'A parameter is wrong; it is named.',
  401: 'A guard of the application lets nobody in who is not signed in.',
  403: 'A guard of the application refuses.',
  404: 'There is no such database.',
  500: 'Nobody foresaw it. The log of the application may say why.',
  503: 'The database does not answer.',
};

/** The same of one that changes something. */
const WRITE_PROBLEMS = {
  403: 'A guard of the application refuses, or a reader asks, or a page of another origin.',
  413: 'The body is too large for the application.',
  415: 'The body is not JSON.',
};

const LIVE = {
  operationId: 'live',
  summary: 'The overview, every second or every few, as server-sent events',
  parameters: [parameter('database', DATABASE, 'query', false)],
  responses: {
    200: {
      description:
        'Events `overview`, each with an Overview, and `problem`, each with a Problem. The stream ends now and then.',
      content: { 'text/event-stream': { schema: text() } },
    },
    ...problems(PROBLEMS),
  },
};

/** The API in OpenAPI 3.1, made of the routes that check and answer requests. */
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
    // Relative to where this document is.
    servers: [{ url: '.' }],
    paths,
    components: { schemas: COMPONENTS },
  };
}

function operation(route: Route): object {
  const { name, summary, params = {}, query = {}, answer } = route;
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
      200: { description: 'OK', content: { 'application/json': { schema: answer } } },
      ...problems({ ...PROBLEMS, ...(isWrite(route) && WRITE_PROBLEMS), ...route.problems }),
    },
  };
}

function parameters(all: Properties, place: string, required: boolean): object[] {
  return Object.entries(all).map(([name, schema]) => parameter(name, schema, place, required));
}

function parameter(name: string, { description, ...schema }: Schema, place: string, required: boolean): object {
  return { name, in: place, required, ...(description !== undefined && { description }), schema };
}

function problems(all: Readonly<Partial<Record<number, string>>>): object {
  const content = { 'application/problem+json': { schema: ref('Problem') } };
  return Object.fromEntries(Object.entries(all).map(([status, description]) => [status, { description, content }]));
}
