import type { Invariant } from './invariant.js';

/** A transaction is noted as committing before its COMMIT is sent. */
export const noneBeforeCommit: Invariant = {
  name: 'none-before-commit',
  promise: 'No job has run before the transaction it was enqueued in was committed.',
  check: ({ all, byToken }) =>
    [...all.enqueues.values()].flatMap(({ token, kind, transaction }) => {
      const first = byToken.get(token)?.calls[0];
      const committingAt = all.transactions.get(transaction ?? '')?.committingAt;
      return first && committingAt !== undefined && first.from < committingAt
        ? [
            {
              text: `A job (${kind}) began ${ms(committingAt - first.from)} before its transaction was committed.`,
              ids: [byToken.get(token)!.id],
            },
          ]
        : [];
    }),
};

function ms(span: number): string {
  return `${span.toFixed(1)} ms`;
}
