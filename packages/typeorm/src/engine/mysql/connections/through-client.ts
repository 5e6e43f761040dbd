import { TransactionEndedError } from '../../../errors/index.js';
import type { StatementResult } from '../../operation.js';
import type { Send } from '../../run-operation.js';
import { type Fragment, type Parameter, sql } from '../../sql.js';
import type { ClientTransaction } from '../../transaction-handle.js';
import { withoutValues } from '../../without-values.js';
import { driverErrorNumber } from '../mysql-errors.js';

const SET = sql`SAVEPOINT tablequeue_check`;
const RELEASE = sql`RELEASE SAVEPOINT tablequeue_check`;

/** ER_SP_DOES_NOT_EXIST: outside a transaction the savepoint was not kept. */
const NO_SAVEPOINT = 1305;

/**
 * Sends statements through another client, in the application's transaction, one after another.
 *
 * The client may not know that the server has ended the transaction, as after a deadlock. So the server is asked before
 * each change, with a savepoint: its answer shows whether a transaction is open. Not every client passes that on. There
 * the savepoint is released: without a transaction it does not exist. See docs/decisions/0133.
 */
export function throughClient(transaction: ClientTransaction): Send {
  let last: Promise<unknown> = Promise.resolve();
  const run = async (statement: Fragment) => {
    if (transaction.isEnded || !transaction.run) {
      throw new TransactionEndedError(transaction.client);
    }
    return transaction.run(statement.sql, statement.parameters);
  };
  const send = async (statement: Fragment): Promise<StatementResult> => {
    try {
      if (!sql.isSelect(statement)) {
        await assertOpen(transaction, run);
      }
      return await run(statement);
    } catch (error) {
      throw withoutValues(error);
    }
  };
  return (statement) => {
    const result = last.then(() => send(statement));
    last = result.catch(() => undefined);
    return result;
  };
}

/** @throws TransactionEndedError */
async function assertOpen({ client }: ClientTransaction, run: NonNullableRun): Promise<void> {
  const { isOpen } = await run(SET);
  if (isOpen === false) {
    throw new TransactionEndedError(client);
  }
  if (isOpen === undefined) {
    try {
      await run(RELEASE);
    } catch (error) {
      throw driverErrorNumber(error) === NO_SAVEPOINT ? new TransactionEndedError(client) : error;
    }
  }
}

type NonNullableRun = (statement: Fragment) => ReturnType<NonNullable<ClientTransaction['run']>>;

/**
 * The values of a statement for a client that may not know the literals of mysql2: a literal becomes part of the text.
 *
 * The queue makes these literals itself, from ids. See `IdLiterals`.
 */
export function withLiterals(
  text: string,
  values: readonly Parameter[],
): [string, (string | number | Buffer | null)[]] {
  const plain: (string | number | Buffer | null)[] = [];
  let index = 0;
  const inlined = text.replaceAll('?', () => {
    const value = values[index++] ?? null;
    if (typeof value === 'object' && value !== null && 'toSqlString' in value) {
      return value.toSqlString();
    }
    plain.push(value);
    return '?';
  });
  return [inlined, plain];
}
