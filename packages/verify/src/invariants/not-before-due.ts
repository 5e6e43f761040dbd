import type { Invariant } from './invariant.js';

/** Both times are the database's, whatever clock the worker has. */
export const notBeforeDue: Invariant = {
  name: 'not-before-due',
  promise: 'No job was claimed before it was due.',
  check: ({ all }) =>
    [...all.jobs.values()].flatMap(({ id, kind, final }) =>
      final?.claimedAt !== null && final && final.claimedAt < final.runAt
        ? [{ text: `A job (${kind}) was claimed ${final.runAt - final.claimedAt} ms before it was due.`, ids: [id] }]
        : [],
    ),
};
