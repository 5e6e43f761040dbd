import type { AuditEntry as CoreEntry } from '@tablequeue/typeorm';

import { route } from '../../api/route.js';
import type { AuditEntry, AuditPage } from '../../contract/index.js';
import { described, ref, text, whole } from '../../schema/json-schema.js';

const PAGE = 50;

export const listAudit = route<AuditPage, { query: { cursor?: string; limit?: number } }>({
  name: 'listAudit',
  method: 'GET',
  path: 'audit',
  summary: 'Who has done what by hand, the newest first, page by page',
  query: {
    optional: {
      cursor: described(text(100), 'the `next` of the page before'),
      limit: described(whole(1, 200), `how many entries a page has; ${PAGE} unless said`),
    },
  },
  answer: ref('AuditPage'),
  run: async ({ database, query: { cursor, limit = PAGE } }) => {
    const options = { limit, ...(cursor !== undefined && { after: cursor }) };
    const { entries, next } = await database.readings.of(['audit', options], () =>
      database.queue.activity.audit(options),
    );
    return { entries: entries.map(toEntry), next: next ?? null };
  },
});

function toEntry({ id, doneAt, who, action, target, detail, changed, skipped }: CoreEntry): AuditEntry {
  return {
    id,
    at: doneAt.getTime(),
    who: who ?? null,
    action,
    target,
    detail: detail === undefined || detail === null ? null : JSON.stringify(detail),
    outcome: outcomeOf(changed, skipped),
  };
}

function outcomeOf(changed: number, skipped: number): string {
  const left = skipped > 0 ? `${skipped} left as ${skipped === 1 ? 'it was' : 'they were'}` : '';
  return (
    [changed > 0 ? `${changed} changed` : '', left].filter((part) => part !== '').join(', ') || 'nothing to change'
  );
}
