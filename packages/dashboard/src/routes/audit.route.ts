import type { AuditEntry as StoredEntry } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import { route } from '../api/route.js';
import { type AuditEntry, AuditPage } from '../contract/index.js';
import { described, integer, text } from '../contract/json-schema.js';

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
    },
  },
  response: AuditPage,
  run: async ({ database, query: { cursor, limit = PAGE } }) => {
    const options = { limit, ...defined({ after: cursor }) };
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
    detail: detail === undefined || detail === null ? null : JSON.stringify(detail),
    outcome: toOutcome(changed, skipped),
  };
}

function toOutcome(changed: number, skipped: number): string {
  const counts = [changed > 0 ? `${changed} changed` : '', skipped > 0 ? `${skipped} left unchanged` : ''];
  return counts.filter((text) => text !== '').join(', ') || 'nothing to change';
}
