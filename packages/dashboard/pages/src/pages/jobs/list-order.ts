import type { JobState } from '../../contract.js';
import type { JobQuery } from './job-query.js';

const ORDERS: Readonly<Record<JobState, string>> = {
  waiting: 'last in line first',
  scheduled: 'latest due first',
  ready: 'last in line first',
  running: 'last started first',
  failed: 'last failed first',
  succeeded: 'last finished first',
  cancelled: 'last finished first',
  expired: 'last finished first',
};

/** Returns the order of the list, which is that of the index. With a key another index is used. */
export const orderOf = ({ state, key }: JobQuery): string => (key === undefined ? ORDERS[state] : 'last created first');
