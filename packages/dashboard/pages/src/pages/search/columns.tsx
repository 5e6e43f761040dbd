import { StateBadge } from '../../components/badge.js';
import { Time } from '../../components/time.js';
import type { FoundJobRow } from '../../contract.js';
import type { Column } from '../../tables/table.js';
import { JOB, KEY, QUEUE } from '../jobs/columns.js';

const FIELDS: Readonly<Record<FoundJobRow['foundIn'], string>> = {
  id: 'id',
  key: 'key',
  uniqueKey: 'unique key',
  tenant: 'tenant',
  name: 'name',
  error: 'error',
  payload: 'payload',
};

export const FOUND_COLUMNS: readonly Column<FoundJobRow>[] = [
  JOB,
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  QUEUE,
  KEY,
  { title: 'Found in', cell: ({ foundIn }) => FIELDS[foundIn] },
  { title: 'Created', isNumber: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
