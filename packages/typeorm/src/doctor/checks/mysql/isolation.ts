import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** The isolation level of the application's transactions, in which jobs are enqueued. Workers set their own. */
export const isolation: Check<ExaminedServer> = {
  name: 'isolation',
  run({ dataSource, variables }) {
    const configured = (dataSource.options as { readonly isolationLevel?: string }).isolationLevel;
    const session = variables.get('transaction_isolation') ?? variables.get('tx_isolation') ?? '';
    const level = (configured ?? session).replaceAll(' ', '-').toUpperCase();
    const isolatesSnapshots = variables.get('innodb_snapshot_isolation') === 'ON' && level === 'REPEATABLE-READ';
    const found = [
      `${level}${configured ? ', from the data source' : ''}`,
      // The statements of the application, not those of the queue: see docs/decisions/0100.
      ...(isolatesSnapshots ? ['innodb_snapshot_isolation = ON: retry your transactions after error 1020'] : []),
      'workers use READ-COMMITTED',
    ].join('; ');
    switch (level) {
      case 'SERIALIZABLE':
        return warning(
          found,
          'Every SELECT of a transaction locks the rows it reads: enqueues and workers deadlock.',
          'SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED; -- or REPEATABLE READ',
        );
      case 'READ-UNCOMMITTED':
        return warning(
          found,
          'find() and counts() show jobs of transactions that are not committed.',
          'SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED; -- or REPEATABLE READ',
        );
      default:
        return ok(found);
    }
  },
};
