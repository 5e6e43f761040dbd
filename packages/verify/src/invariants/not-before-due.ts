import type { Invariant } from './invariant.js';

/** Both times are of the database's clock, so a wrong clock of a worker does not matter. */
export const notBeforeDue: Invariant = {
  name: 'not-before-due',
  guarantee: 'No job was claimed before it was due.',
  check: ({ all }) =>
    [...all.jobs.values()].flatMap(({ id, kind, final }) =>
      final?.claimedAt !== null && final && final.claimedAt < final.runAt
        ? [{ text: `A job (${kind}) was claimed ${final.runAt - final.claimedAt} ms before it was due.`, ids: [id] }]
        : [],
    ),
};
