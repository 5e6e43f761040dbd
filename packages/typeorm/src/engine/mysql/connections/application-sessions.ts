import type { QueryRunner } from 'typeorm';

import { UnsupportedSessionError } from '../../../errors/index.js';
import { sql } from '../../sql.js';
import { queryOn } from '../../through-query-runner.js';
import type { Connection } from './connection.js';

/** What a session is like, as far as it matters to the statements of the queue. */
interface Session {
  readonly autocommit: number | string;
  readonly completion: string;
  readonly modes: string;
  readonly row_limit: number | string;
}

/** The bit of the status that comes with each answer to a change. */
const NO_BACKSLASH_ESCAPES = 0x200;

/**
 * The sessions of the application's pool, which the queue leaves as they are. Each is looked at once, by a statement of
 * 0.1 ms: what is set on it later is not seen.
 */
export class ApplicationSessions {
  private readonly known = new WeakMap<Connection, boolean>();

  /**
   * Whether a statement commits by itself. Where it does not each is given a transaction: it would be lost, or hold its
   * locks, when the connection goes back to the pool.
   *
   * @throws UnsupportedSessionError
   */
  async autocommits(connection: Connection, queryRunner: QueryRunner): Promise<boolean> {
    const known = this.known.get(connection);
    if (known !== undefined) {
      return known;
    }
    const [session] = (await queryOn<Session>(
      queryRunner,
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
        'other rules hold for its statements',
        "Give the queue a data source without it, or set sql_mode = 'STRICT_TRANS_TABLES'.",
      );
    }
    if (Number(session.row_limit) < Number.MAX_SAFE_INTEGER) {
      throw new UnsupportedSessionError(
        `sql_select_limit = ${session.row_limit}`,
        'it would see a part of the rows and take it for all',
        'Set sql_select_limit = DEFAULT.',
      );
    }
    const autocommits = Number(session.autocommit) === 1 && session.completion === 'NO_CHAIN';
    this.known.set(connection, autocommits);
    return autocommits;
  }
}

/**
 * Refuses what was changed on a session without escapes, where all texts with a quote or a backslash are stored wrongly. In a
 * caller's transaction it costs nothing to see it so, and the caller can still roll back.
 *
 * @param answer of the driver to a statement.
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
    'the driver, mysql2, escapes quotes by backslashes, so a quote in a payload would end the text',
    'Take the mode out of sql_mode: every statement of the application has the same fault.',
  );
}
