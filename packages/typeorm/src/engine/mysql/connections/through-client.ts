import { TransactionEndedError } from '../../../errors/index.js';
import type { StatementResult } from '../../operation.js';
import type { Send } from '../../run-operation.js';
import { type Fragment, type Parameter, sql } from '../../sql.js';
import type { ClientAnswer, ClientTransaction } from '../../transaction-handle.js';
import { withoutValues } from '../../without-values.js';
import { driverErrorNumber } from '../mysql-errors.js';

const SAVE = sql`SAVEPOINT tablequeue_check`;
const RELEASE = sql`RELEASE SAVEPOINT tablequeue_check`;
const READ_WRITE = sql`SET TRANSACTION READ WRITE`;

/** ER_SP_DOES_NOT_EXIST: outside a transaction the savepoint was not kept. */
const NO_SAVEPOINT = 1305;
/** ER_UNSUPPORTED_PS: MySQL does not prepare savepoints. */
const NOT_PREPARED = 1295;
/** ER_CANT_CHANGE_TX_CHARACTERISTICS */
const IN_PROGRESS = 1568;

/** The last statement of each session: calls at the same time would release the savepoints of each other. */
const lastStatements = new WeakMap<object, Promise<unknown>>();

/**
 * Sends statements through another client, in the application's transaction, one after another.
 *
 * The client may not know that the server has ended the transaction, as after a deadlock. So the server is asked before
 * each change, with a savepoint: its answer shows whether a transaction is open. Not every client passes that on. There
 * the savepoint is released: without a transaction it does not exist. Where a savepoint cannot be prepared, an error
 * shows the transaction. See docs/decisions/0133.
 */
export function throughClient(transaction: ClientTransaction): Send {
  const { session } = transaction;
  const run = async (statement: Fragment) => {
    if (transaction.isEnded || !transaction.run) {
      throw new TransactionEndedError(transaction.client);
    }
    return transaction.run(statement.sql, statement.parameters);
  };
  const send = async (statement: Fragment): Promise<StatementResult> => {
    try {
      if (!sql.isSelect(statement) && !(await isOpenInServer(transaction, run))) {
        throw new TransactionEndedError(transaction.client);
      }
      return await run(statement);
    } catch (error) {
      throw withoutValues(error);
    }
  };
  return (statement) => {
    const result = (lastStatements.get(session) ?? Promise.resolve()).then(() => send(statement));
    lastStatements.set(
      session,
      result.then(
        () => undefined,
        () => undefined,
      ),
    );
    return result;
  };
}

type Run = (statement: Fragment) => Promise<ClientAnswer>;

/** The transactions whose client prepares each statement, although the server does not prepare savepoints. */
const unprepared = new WeakSet<object>();

/** Asks the server whether the transaction is open. */
async function isOpenInServer({ session }: ClientTransaction, run: Run): Promise<boolean> {
  if (unprepared.has(session)) {
    return refusesCharacteristics(run);
  }
  try {
    const { isOpen } = await run(SAVE);
    if (isOpen !== undefined) {
      return isOpen;
    }
    await run(RELEASE);
    return true;
  } catch (error) {
    switch (driverErrorNumber(error)) {
      case NO_SAVEPOINT:
        return false;
      case NOT_PREPARED:
        unprepared.add(session);
        return refusesCharacteristics(run);
      default:
        throw error;
    }
  }
}

/** In a transaction the server refuses this statement. Outside it changes nothing: it is the default. */
async function refusesCharacteristics(run: Run): Promise<boolean> {
  try {
    await run(READ_WRITE);
    return false;
  } catch (error) {
    if (driverErrorNumber(error) === IN_PROGRESS) {
      return true;
    }
    throw error;
  }
}

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
