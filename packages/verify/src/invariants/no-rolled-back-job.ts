import type { Invariant } from './invariant.js';

/** The rows that producers write in the same transactions, and in the same parts of them, tell which were committed. */
export const noRolledBackJob: Invariant = {
  name: 'no-rolled-back-job',
  promise: 'No job exists, or has run, whose transaction was rolled back.',
  check: ({ all, byToken }) =>
    [...all.enqueues.values()].flatMap(({ token, kind, transaction, process }) => {
      const job = transaction === undefined || all.orders.has(token) ? undefined : byToken.get(token);
      const runs = job?.calls.length ?? 0;
      return job
        ? [
            {
              text: `A job (${kind}) of a transaction that ${process} has rolled back exists; it was run ${runs} times.`,
              ids: [job.id],
            },
          ]
        : [];
    }),
};
