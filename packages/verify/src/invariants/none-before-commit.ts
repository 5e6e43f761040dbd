import type { Invariant } from './invariant.js';

/** A producer records the commit of a transaction before it sends COMMIT. */
export const noneBeforeCommit: Invariant = {
  name: 'none-before-commit',
  guarantee: 'No job ran before its transaction was committed.',
  check: ({ all, byToken }) =>
    [...all.enqueues.values()].flatMap(({ token, kind, transaction }) => {
      const first = byToken.get(token)?.calls[0];
      const committingAt = all.transactions.get(transaction ?? '')?.committingAt;
      return first && committingAt !== undefined && first.from < committingAt
        ? [
            {
              text: `A job (${kind}) started ${(committingAt - first.from).toFixed(1)} ms before its transaction was committed.`,
              ids: [byToken.get(token)!.id],
            },
          ]
        : [];
    }),
};
