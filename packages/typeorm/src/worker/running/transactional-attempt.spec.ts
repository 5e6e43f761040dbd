import { expect, test } from '@jest/globals';

import { defineJob } from '../../definition/define-job.js';
import { DatabaseUnavailableError } from '../../errors/index.js';
import { runInTransaction, type TransactionalDependencies } from './transactional-attempt.js';

test.each([
  ['was given up is not counted as a failure', new DatabaseUnavailableError('commit', new Error('silent')), 'snoozed'],
  ['a subscriber of the application has refused is', new Error('no'), 'retried'],
])('a COMMIT that %s', async (_name, unknown, kind) => {
  const dependencies = { application: { transact: () => Promise.resolve({ unknown }) }, outcomes: { redact: String } };
  const result = await runInTransaction(
    dependencies as unknown as TransactionalDependencies,
    { definition: defineJob('order'), handle: () => undefined, source: '' },
    undefined,
    { failures: 0 } as never,
    {} as never,
    undefined,
  );
  expect(result).toMatchObject({ kind: 'uncertain', ifRolledBack: { kind } });
});
