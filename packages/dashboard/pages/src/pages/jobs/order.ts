import type { JobState } from '../../contract.js';
import type { Wanted } from './filter.js';

const ORDERS: Readonly<Record<JobState, string>> = {
  waiting: 'last in line first',
  scheduled: 'latest due first',
  ready: 'last in line first',
  running: 'last started first',
  failed: 'last failed first',
  succeeded: 'last created first',
  cancelled: 'last created first',
};

/** In which order jobs are listed: that of the index along which they are found, which is another one with a key. */
export const orderOf = ({ state, key }: Wanted): string => (key === undefined ? ORDERS[state] : 'last created first');
