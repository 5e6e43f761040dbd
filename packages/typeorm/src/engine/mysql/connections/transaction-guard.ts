import type { DataSource, EntitySubscriberInterface, QueryRunner } from 'typeorm';

import { TransactionEndedError, TransactionLostError } from '../../../errors/index.js';
import type { Send } from '../../run-operation.js';
import { sql } from '../../sql.js';
import { subscribe } from '../../subscribe.js';
import { isOpen, queryRunnerOf } from '../../transaction-handle.js';
import type { TypeormTransaction } from '../../typeorm-transaction.js';
import { endsTransaction } from '../mysql-errors.js';

/** The bit of an answer's status that shows an open transaction. */
const IN_TRANSACTION = 1;

const SAVEPOINT = sql`SAVEPOINT tablequeue_check`;

/** Statements that return rows and do not end a transaction. Others, such as CALL and OPTIMIZE TABLE, may. */
const KEEPS_TRANSACTION = /^\s*\(*\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VALUES|TABLE|SHOW|EXPLAIN|DESC)/i;

const STARTS_TRANSACTION = /^\s*(?:START|BEGIN)/i;

/** A statement that TypeORM is about to send. Older versions of TypeORM 0.3 do not have the type. */
interface BeforeQuery {
  readonly queryRunner: QueryRunner;
  readonly parameters?: object;
}

/** The answer to a statement. */
interface AfterQuery {
  readonly queryRunner: QueryRunner;
  readonly query: string;
  readonly success: boolean;
  readonly rawResults?: unknown;
  readonly error?: unknown;
}

/** What the answers on a query runner have shown. */
interface Observed {
  /** How many statements were sent, and how many of them were answered. */
  sent: number;
  answered: number;
  /** Whether the server has an open transaction; undefined if the last answers do not show it. */
  isOpen: boolean | undefined;
  /** Whether a deadlock has rolled it back. Some sessions are in another transaction after the next statement. */
  isLost: boolean;
  /** The values of the last statement that was sent. */
  last: unknown;
  /** The last error, if no answer has shown an open transaction since. */
  error: unknown;
}

type GuardedTransaction = TypeormTransaction | QueryRunner;

/** The transaction may be gone: the statement was not sent. */
class UncertainTransaction extends Error {}

/**
 * Sends the queue's changes only in transactions that are still open in the server.
 *
 * After a deadlock the server rolls back the whole transaction. TypeORM does not notice: if the application catches the
 * error, or has sent the next statement already, that is committed at once, and TypeORM's ROLLBACK does not undo it.
 *
 * The server's answers to changes show whether a transaction is open, and TypeORM reports all answers to subscribers.
 * So a change is sent at once if the last answer shows a transaction and no other statement is under way. Otherwise, as
 * after an error, the server is asked first with a SAVEPOINT. See docs/decisions/0101.
 */
export class TransactionGuard {
  private static readonly guards = new WeakMap<DataSource, TransactionGuard>();

  private readonly observed = new WeakMap<QueryRunner, Observed>();
  /** By the values of a statement. */
  private readonly guarded = new WeakMap<object, GuardedTransaction>();
  private readonly subscriber = {
    beforeQuery: (event: BeforeQuery) => this.beforeQuery(event),
    afterQuery: (event: AfterQuery) => this.afterQuery(event),
  } as EntitySubscriberInterface;

  private constructor(private readonly dataSource: DataSource) {}

  /** The one guard of a data source. */
  static of(dataSource: DataSource): TransactionGuard {
    let guard = TransactionGuard.guards.get(dataSource);
    if (!guard) {
      guard = new TransactionGuard(dataSource);
      TransactionGuard.guards.set(dataSource, guard);
    }
    guard.follow();
    return guard;
  }

  /** Observes the transactions that start from now on. */
  follow(): void {
    subscribe(this.dataSource, this.subscriber);
  }

  /**
   * Guards statements of a transaction.
   *
   * @param send sends them through the query runner, with the same array of values.
   * @param purpose what they do, for the error.
   */
  wrap(handle: GuardedTransaction, send: Send, purpose: string): Send {
    return async (statement) => {
      if (sql.isSelect(statement)) {
        return send(statement);
      }
      if (!reportsStatements(queryRunnerOf(handle))) {
        await this.assertOpen(handle, purpose);
        this.assertActive(handle, purpose);
        return send(statement);
      }
      for (;;) {
        this.assertActive(handle, purpose);
        // An array of its own, by which the subscriber recognizes the statement.
        const values = [...statement.parameters];
        this.guarded.set(values, handle);
        try {
          return await send(sql.bind(statement, values));
        } catch (error) {
          if (!(error instanceof UncertainTransaction)) {
            throw error;
          }
          await this.assertOpen(handle, purpose);
        }
      }
    };
  }

  private beforeQuery({ queryRunner, parameters }: BeforeQuery): void {
    const guarded = parameters && this.guarded.get(parameters);
    const observed = this.observationsOf(queryRunner);
    if (guarded) {
      const isAlone = observed.sent === observed.answered;
      if (!(isOpen(guarded) && observed.isOpen && !observed.isLost && isAlone)) {
        throw new UncertainTransaction();
      }
    }
    observed.sent++;
    observed.last = parameters;
  }

  private afterQuery({ queryRunner, query, success, rawResults, error }: AfterQuery): void {
    const observed = this.observationsOf(queryRunner);
    observed.answered++;
    const status = statusOf(rawResults);
    if (!success) {
      observed.isOpen = undefined;
      observed.isLost ||= endsTransaction(error);
      observed.error = error;
    } else if (status !== undefined) {
      observed.isOpen = (status & IN_TRANSACTION) !== 0;
    } else if (!KEEPS_TRANSACTION.test(query)) {
      observed.isOpen = undefined;
    }
    if (success && STARTS_TRANSACTION.test(query)) {
      observed.isLost = false;
    }
    if (observed.isOpen && !observed.isLost) {
      observed.error = undefined;
    }
  }

  /**
   * @throws TransactionEndedError if the application has ended the transaction or savepoint meanwhile.
   * @throws TransactionLostError if a deadlock has rolled it back.
   */
  private assertActive(handle: GuardedTransaction, purpose: string): void {
    const { isLost, error } = this.observationsOf(queryRunnerOf(handle));
    if (!isOpen(handle)) {
      throw new TransactionEndedError('TypeORM');
    }
    if (isLost) {
      throw new TransactionLostError(purpose, error);
    }
  }

  /** @throws TransactionEndedError, TransactionLostError */
  private async assertOpen(handle: GuardedTransaction, purpose: string): Promise<void> {
    this.assertActive(handle, purpose);
    const queryRunner = queryRunnerOf(handle);
    const observed = this.observationsOf(queryRunner);
    const { error } = observed;
    const values: unknown[] = [];
    const status = statusOf(await queryRunner.query(SAVEPOINT.sql, values)) ?? 0;
    if ((status & IN_TRANSACTION) === 0) {
      throw new TransactionLostError(purpose, observed.error ?? error);
    }
    if (observed.last === values) {
      // The connection answers in order, so all statements before it were answered too. TypeORM reports fewer
      // answers if a subscriber of the application has kept a statement from being sent.
      observed.answered = observed.sent;
    }
  }

  private observationsOf(queryRunner: QueryRunner): Observed {
    let observed = this.observed.get(queryRunner);
    if (!observed) {
      observed = { sent: 0, answered: 0, isOpen: undefined, isLost: false, last: undefined, error: undefined };
      this.observed.set(queryRunner, observed);
    }
    return observed;
  }
}

/** Whether TypeORM reports statements. Older versions of 0.3 do not: there the server is asked before each change. */
function reportsStatements(queryRunner: QueryRunner): boolean {
  return 'broadcastBeforeQueryEvent' in (queryRunner as unknown as { readonly broadcaster: object }).broadcaster;
}

/** The status in the answer to a change, or at the end of the answers of a procedure. Rows have none. */
function statusOf(answer: unknown): number | undefined {
  const header = (Array.isArray(answer) ? answer.at(-1) : answer) as object | undefined;
  const isHeader = header && 'affectedRows' in header && 'fieldCount' in header && 'serverStatus' in header;
  return isHeader && typeof header.serverStatus === 'number' ? header.serverStatus : undefined;
}
