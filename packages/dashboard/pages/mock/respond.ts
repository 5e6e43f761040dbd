import type { IncomingMessage, ServerResponse } from 'node:http';

import { bulkActionsOf } from '@tablequeue/typeorm/internal';

import { compareNames } from '../../src/overview/queue-list.js';
import type { JobAction, JobDetail, JobFilter, JobState, Me, MemberOutcome, SchedulePage } from '../src/contract.js';
import { STATES } from '../src/format/labels.js';
import { changeMute, failuresOf } from './failures.js';
import { graphOf } from './graph.js';
import { logOf } from './log.js';
import { actByHand, isManual } from './manual.js';
import { queuePageOf } from './queues.js';
import { searchOf } from './search.js';
import { membersOf, overviewOf, queuesOf, queuesOfTenants, seriesOf, workersOf } from './figures.js';
import { DOCTOR } from './sample-data.js';
import { Shop } from './shop.js';

/** The value of the cookie `mock`: `empty`, `broken`, `reader`, `silent` (no events), `many` (queues), or none. */
type Mode = 'empty' | 'broken' | 'reader' | 'silent' | 'many' | undefined;

const shops = { full: new Shop(), empty: new Shop(0) };
const PAGE = 50;

export async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): Promise<void> {
  const mode = /mock=(\w+)/.exec(request.headers.cookie ?? '')?.[1] as Mode;
  const shop = mode === 'empty' ? shops.empty : shops.full;
  if (mode === 'broken' && path !== 'me') {
    problem(response, 503, 'The database is down', 'connect ECONNREFUSED 127.0.0.1:3306. Is the server running?');
    return;
  }
  if (path === 'live') {
    if (mode === 'silent') {
      problem(response, 503, 'No events', 'Not in this mode.');
    } else {
      live(response, shop, mode);
    }
    return;
  }
  if (request.method !== 'GET' && mode === 'reader') {
    problem(response, 403, 'Your access is read-only', 'You are a reader.');
    return;
  }
  const body = request.method === 'GET' ? {} : await bodyOf(request);
  const result = request.method === 'GET' ? read(shop, mode, path, query) : write(shop, path, body);
  if (result === undefined) {
    problem(response, 404, 'Not found', `There is nothing at ${path}.`);
  } else {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  }
}

function problem(response: ServerResponse, status: number, title: string, detail: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/problem+json');
  response.end(JSON.stringify({ type: 'tablequeue:mock', title, status, detail }));
}

/** By name. */
const rowsOf = (shop: Shop, mode: Mode) =>
  [...queuesOf(shop), ...(mode === 'many' ? queuesOfTenants() : [])].sort((one, other) =>
    compareNames(one.queue, other.queue),
  );

function live(response: ServerResponse, shop: Shop, mode: Mode): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const overview = () => JSON.stringify(overviewOf(shop, rowsOf(shop, mode)));
  const send = () => response.write(`event: overview\ndata: ${overview()}\n\n`);
  send();
  const timer = setInterval(send, 2000);
  response.on('close', () => clearInterval(timer));
}

function read(shop: Shop, mode: Mode, path: string, query: URLSearchParams): unknown {
  const me: Me = {
    name: 'mary',
    role: mode === 'reader' ? 'reader' : 'operator',
    databases: ['default', 'reports'],
    version: '0.1.0',
    environment: 'staging',
    maySetPayloads: mode !== 'reader',
  };
  if (path === 'jobs/blocked-keys') {
    return { keys: shop.blockedKeys, next: null };
  }
  if (path === 'jobs/failures') {
    return failuresOf(shop);
  }
  if (path === 'jobs/search') {
    return searchOf(shop, query);
  }
  if (path === 'jobs/bulk') {
    return { operations: [], next: null, takenAt: Date.now() };
  }
  if (path === 'jobs/states') {
    return Object.fromEntries(
      STATES.map((state) => [state, { count: shop.find({ ...filterOf(query), state }).length, isCapped: false }]),
    );
  }
  const logged = /^jobs\/(.+)\/log$/.exec(path)?.[1];
  if (logged !== undefined) {
    return logOf(shop.byId(logged), Number(query.get('attempt') ?? 0));
  }
  const drawn = /^jobs\/(.+)\/graph$/.exec(path)?.[1];
  if (drawn !== undefined) {
    return graphOf(shop, drawn);
  }
  if (path.startsWith('groups/')) {
    const { members, next } = membersOf(shop, query.get('outcome') as MemberOutcome, Number(query.get('cursor')));
    const name = query.get('name');
    return { members: members.filter((job) => name === null || job.name === name), next };
  }
  const queue = /^queues\/(.+)$/.exec(path)?.[1];
  if (queue !== undefined) {
    return rowsOf(shop, mode).find((row) => row.queue === decodeURIComponent(queue));
  }
  const id = /^jobs\/(.+)$/.exec(path)?.[1];
  if (id !== undefined) {
    return shop.detail(id, mode !== 'reader');
  }
  switch (path) {
    case 'me':
      return me;
    case 'overview':
      return overviewOf(shop, rowsOf(shop, mode));
    case 'queues':
      return queuePageOf(rowsOf(shop, mode), query);
    case 'queue-names':
      return { names: rowsOf(shop, mode).map((row) => row.queue), hasMore: false };
    case 'series':
      return seriesOf(shop, query.get('span') === 'day' ? 'day' : 'hour', query.get('queue'));
    case 'jobs':
      return page(shop, mode, query);
    case 'workers':
      return { workers: workersOf(shop), total: workersOf(shop).length, next: null };
    case 'schedules':
      return schedulePageOf(shop, query);
    case 'events/subscriptions':
      return { subscriptions: shop.subscriptions, next: null };
    case 'doctor':
      return { ...DOCTOR, takenAt: Date.now() };
    case 'audit':
      return { entries: shop.audit, next: null };
    default:
      return undefined;
  }
}

function page(shop: Shop, mode: Mode, query: URLSearchParams) {
  const found = shop.find(filterOf(query));
  const start = Number(query.get('cursor') ?? 0);
  // A search for an error stops early, to show how a partial search continues.
  const isPartial = query.has('error') && start === 0 && found.length > 4;
  const end = start + (isPartial ? 4 : PAGE);
  return {
    jobs: found.slice(start, end),
    next: end < found.length ? String(end) : null,
    takenAt: Date.now(),
    isPartial,
    actions: mode === 'reader' ? [] : bulkActionsOf(query.get('state') as JobState),
  };
}

function schedulePageOf({ schedules }: Shop, query: URLSearchParams): SchedulePage {
  const contains = (query.get('contains') ?? '').toLowerCase();
  const matching = schedules.filter(({ name }) => name.includes(contains));
  return { schedules: matching, total: schedules.length, matching: matching.length, next: null };
}

function filterOf(query: URLSearchParams): JobFilter {
  const { from, to, ...texts } = Object.fromEntries(query);
  return { ...texts, ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) } as unknown as JobFilter;
}

type Body = Record<string, unknown>;

function write(shop: Shop, path: string, body: Body): unknown {
  const [resource, name, action] = path.split('/').map(decodeURIComponent);
  if (resource === 'queues' && name) {
    shop.changeQueue(name, action, body);
    return queuesOf(shop).find(({ queue }) => queue === name);
  }
  if (resource === 'schedules' && name) {
    return shop.changeSchedule(name, action);
  }
  if (resource === 'workers' && name) {
    shop.changeWorker(name, action);
    return workersOf(shop).find(({ id }) => id === name);
  }
  if (resource === 'jobs' && (name === 'preview' || name === 'bulk')) {
    const filter = body.filter as JobFilter | { ids: string[] };
    const jobs = 'ids' in filter ? filter.ids.flatMap((id) => shop.byId(id) ?? []) : shop.find(filter);
    if (name === 'preview') {
      return { matching: { count: jobs.length, isCapped: jobs.length > 1000 } };
    }
    jobs.forEach((job) => shop.act(job.id, body.action as JobAction, body.priority as number | undefined));
    return { id: crypto.randomUUID(), action: body.action, state: 'done', changed: jobs.length, skipped: 0 };
  }
  if (resource === 'jobs' && name === 'failures' && action) {
    return changeMute(action, 'duration' in body);
  }
  if (resource === 'jobs' && name && (name === 'enqueue' || isManual(action))) {
    return actByHand(shop, name, action ?? 'enqueue', body);
  }
  if (resource === 'jobs' && name && action) {
    shop.act(name, action as JobAction, body.priority as number | undefined);
    return shop.detail(name, true) satisfies JobDetail | undefined;
  }
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
  }
  return JSON.parse(text || '{}') as Body;
}
