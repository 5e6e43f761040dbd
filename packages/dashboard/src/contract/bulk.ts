import { BulkAction, Priority } from './actions.js';
import { Count } from './counts.js';
import {
  type Infer,
  type Schema,
  TIME,
  UUID,
  component,
  described,
  integer,
  listOf,
  nullable,
  oneOf,
  text,
} from './json-schema.js';
import { JobFilter } from './jobs.js';

const MOST_IDS = 1_000;

const JobIds = component('JobIds', { ids: { ...listOf(UUID), minItems: 1, maxItems: MOST_IDS } });

const hasIds = { type: 'object', required: ['ids'] };

/** Two conditions instead of `anyOf`, so that an error names the invalid property. */
const JobSelection: Schema<JobFilter | Infer<typeof JobIds>> = {
  allOf: [
    { if: hasIds, else: JobFilter },
    { if: { not: hasIds }, else: JobIds },
  ],
};

export type PreviewRequest = Infer<typeof PreviewRequest>;
export const PreviewRequest = component('PreviewRequest', { action: BulkAction, filter: JobFilter });

export type BulkPreview = Infer<typeof BulkPreview>;
export const BulkPreview = component('BulkPreview', {
  matching: described(
    Count,
    'capped at 10,000 matches, or after about 100,000 jobs were read; a capped count is a minimum, and can be 0',
  ),
});

export type BulkRequest = Infer<typeof BulkRequest>;
export const BulkRequest = component(
  'BulkRequest',
  { action: BulkAction, filter: JobSelection },
  {
    priority: described(Priority, 'required for the action `priority`; lower numbers run first'),
    to: described(text(64), 'required for the action `move`: the new queue'),
  },
);

export type BulkOperation = Infer<typeof BulkOperation>;
export const BulkOperation = component('BulkOperation', {
  id: UUID,
  action: BulkAction,
  jobs: described(text(), 'which jobs, in words'),
  priority: nullable(integer(-500, 500)),
  to: described(nullable(text()), 'the new queue of moved jobs'),
  who: described(nullable(text()), 'the name that the option `who` returned'),
  state: oneOf('running', 'done', 'stopped'),
  total: described(nullable(Count), 'jobs that matched when it began; null until they are counted'),
  changed: integer(0),
  skipped: described(
    integer(0),
    'jobs that went on before it reached them, or were locked, or whose unique key another job has',
  ),
  startedAt: TIME,
  finishedAt: nullable(TIME),
});

export type BulkPage = Infer<typeof BulkPage>;
export const BulkPage = component('BulkPage', {
  operations: described(listOf(BulkOperation), 'newest first'),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
  takenAt: TIME,
});
