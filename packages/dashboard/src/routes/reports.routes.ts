import type { AuditEntry as StoredEntry, TableQueue, ThroughputPoint } from '@tablequeue/typeorm';
import { type Finding, examineDatabase } from '@tablequeue/typeorm/doctor';
import { defined, executeRead, readClock } from '@tablequeue/typeorm/internal';

import { route } from '../api/route.js';
import {
  type AuditEntry,
  AuditPage,
  type DoctorFinding,
  DoctorReport,
  Me,
  Overview,
  Series,
  type SeriesPoint,
} from '../contract/index.js';
import { described, integer, oneOf, text } from '../contract/json-schema.js';
import { VERSION } from '../dashboard.constants.js';
import { detailInWords } from './detail-in-words.js';
import { maySetPayloads } from './jobs/redaction.js';

export const me = route({
  name: 'me',
  method: 'GET',
  path: 'me',
  summary: 'The user, and the databases that are shown',
  response: Me,
  run: async ({ caller, databases, options }) => ({
    ...caller,
    databases,
    version: VERSION,
    environment: options.environment,
    maySetPayloads: caller.role === 'operator' && maySetPayloads(options),
  }),
});

export const openApi = route({
  name: 'openapi',
  method: 'GET',
  path: 'openapi.json',
  summary: 'This description',
  response: { type: 'object' },
  run: async (call) => call.openApi,
});

export const overview = route({
  name: 'overview',
  method: 'GET',
  path: 'overview',
  summary: 'All queues together, and what needs attention; at most a second old',
  response: Overview,
  run: async ({ database }) => (await database.overview.latest()).overview,
});

export const series = route({
  name: 'series',
  method: 'GET',
  path: 'series',
  summary: 'Ended attempts, per minute for the last hour or per 15 minutes for the last day',
  query: {
    required: { span: oneOf('hour', 'day') },
    optional: { queue: described(text(64), 'one queue; default: all queues') },
  },
  response: Series,
  run: async ({ database, query: { span, queue } }) => {
    const { takenAt, width, points } = await database.reads.getOrRead(['series', span, queue], () =>
      database.queue.activity.throughput(span, queue),
    );
    return { span, bucket: width, takenAt: takenAt.getTime(), points: points.map(toPoint) };
  },
});

function toPoint({ at, succeeded, failed, retried, latencyMean, latencyMax, runMean }: ThroughputPoint): SeriesPoint {
  return {
    at: at.getTime(),
    succeeded,
    failed,
    retried,
    latencyMean: latencyMean ?? null,
    latencyMax: latencyMax ?? null,
    runMean: runMean ?? null,
  };
}

const LEVELS = { ok: 'good', unknown: 'notice', warning: 'warning', problem: 'problem' } as const;

export const doctor = route({
  name: 'doctor',
  method: 'GET',
  path: 'doctor',
  summary: 'Examine the database',
  response: DoctorReport,
  run: ({ database: { queue, reads } }) => reads.getOrRead(['doctor'], () => examine(queue)),
});

async function examine(queue: TableQueue): Promise<DoctorReport> {
  const takenAt = await executeRead(queue.engine, 'read the clock', readClock);
  const findings = await examineDatabase(queue.dataSource, { maxPayloadBytes: queue.maxPayloadBytes });
  return {
    takenAt,
    server: findings.find(({ check }) => check === 'version')?.found ?? queue.dataSource.options.type,
    findings: findings.map(toFinding),
  };
}

function toFinding({ check, status, found, why, change }: Finding): DoctorFinding {
  const advice = [why, ...change].filter((line) => line !== undefined).join('\n');
  return { check, level: LEVELS[status], text: found, advice: advice || null };
}

const PAGE = 50;

export const audit = route({
  name: 'listAudit',
  method: 'GET',
  path: 'audit',
  summary: 'Manual actions, newest first, page by page',
  query: {
    optional: {
      cursor: described(text(100), 'the `next` of the previous page'),
      limit: described(integer(1, 200), `entries per page; default: ${PAGE}`),
      action: described(text(32), 'only this action'),
      who: described(text(191), 'only what this user has done'),
    },
  },
  response: AuditPage,
  run: async ({ database, query: { cursor, limit = PAGE, action, who } }) => {
    const options = { limit, ...defined({ after: cursor, action, by: who }) };
    const { entries, next } = await database.reads.getOrRead(['audit', options], () =>
      database.queue.activity.audit(options),
    );
    return { entries: entries.map(toEntry), next: next ?? null };
  },
});

function toEntry({ id, doneAt, who, action, target, detail, changed, skipped }: StoredEntry): AuditEntry {
  return {
    id,
    at: doneAt.getTime(),
    who: who ?? null,
    action,
    target,
    detail: detailInWords(detail),
    outcome: toOutcome(changed, skipped),
  };
}

function toOutcome(changed: number, skipped: number): string {
  const counts = [changed > 0 ? `${changed} changed` : '', skipped > 0 ? `${skipped} left unchanged` : ''];
  return counts.filter((text) => text !== '').join(', ') || 'nothing to change';
}
