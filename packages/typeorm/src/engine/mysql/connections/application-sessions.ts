import type { QueryRunner } from 'typeorm';

import { UnsupportedSessionError } from '../../../errors/index.js';
import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import type { Connection } from './connection.js';
import { withPlainResults } from './plain-results.js';

/** The settings of a session that affect the statements of the queue. */
interface Session {
  readonly autocommit: number | string;
  readonly completion: string;
  readonly modes: string;
  readonly row_limit: number | string;
}

/** How a session ends transactions. */
export interface Commits {
  /**
   * Whether the session commits each statement. If not, every operation gets a transaction: otherwise it would be lost,
   * or keep its locks, when the connection returns to the pool.
   */
  readonly isAutomatic: boolean;
  /** Whether the server ends the session after a COMMIT or ROLLBACK: the pool must not lend the connection again. */
  readonly endsSession: boolean;
}

/** A bit of the status that the server sends with each answer to a change. */
const NO_BACKSLASH_ESCAPES = 0x200;

/**
 * The sessions of the application's pool, whose settings the queue does not change. It reads the settings of each
 * session once; later changes are not noticed. See docs/decisions/0048.
 */
export class ApplicationSessions {
  private readonly known = new WeakMap<Connection, Commits>();

  /**
   * How the session ends transactions.
   *
   * @throws UnsupportedSessionError
   */
  async commitsOf(connection: Connection, queryRunner: QueryRunner): Promise<Commits> {
    const known = this.known.get(connection);
    if (known !== undefined) {
      return known;
    }
    const [session] = (await queryOn<Session>(
      withPlainResults(queryRunner),
      sql`SELECT @@autocommit AS autocommit, @@completion_type AS completion, @@sql_mode AS modes,
                 @@sql_select_limit AS row_limit`,
    )) as [Session];
    const modes = session.modes.split(',');
    if (modes.includes('NO_BACKSLASH_ESCAPES')) {
      throw withoutEscapes();
    }
    if (modes.includes('ORACLE')) {
      throw new UnsupportedSessionError(
        'sql_mode = ORACLE',
        'its statements have another syntax',
        "Give the queue a data source without it, or set sql_mode = 'STRICT_TRANS_TABLES'.",
      );
    }
    if (Number(session.row_limit) < Number.MAX_SAFE_INTEGER) {
      throw new UnsupportedSessionError(
        `sql_select_limit = ${session.row_limit}`,
        'the queue would read only some of the rows',
        'Set sql_select_limit = DEFAULT.',
      );
    }
    const commits = {
      isAutomatic: Number(session.autocommit) === 1 && session.completion !== 'CHAIN',
      endsSession: session.completion === 'RELEASE',
    };
    this.known.set(connection, commits);
    return commits;
  }
}

/**
 * Refuses a session without backslash escapes after its first change: texts with a quote or a backslash were stored
 * wrongly. The check costs no statement, and the caller can still roll back.
 *
 * @param answer the driver's answer to a statement.
 * @throws UnsupportedSessionError
 */
export function assertEscapes(answer: unknown): void {
  const status = (answer as { readonly serverStatus?: number } | undefined)?.serverStatus ?? 0;
  if ((status & NO_BACKSLASH_ESCAPES) !== 0) {
    throw withoutEscapes();
  }
}

function withoutEscapes(): UnsupportedSessionError {
  return new UnsupportedSessionError(
    'sql_mode = NO_BACKSLASH_ESCAPES',
    'the driver, mysql2, escapes quotes with backslashes, so a quote in a payload would end the text',
    'Remove the mode from sql_mode: every statement of the application has the same problem.',
  );
}
