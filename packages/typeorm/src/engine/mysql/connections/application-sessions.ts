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
  readonly packet: number | string;
  readonly charsets: string;
}

/** What the queue knows of a session. */
export interface ApplicationSession {
  /**
   * Whether the session commits each statement. If not, every operation gets a transaction: otherwise it would be lost,
   * or keep its locks, when the connection returns to the pool.
   */
  readonly isAutomatic: boolean;
  /** Whether the server ends the session after a COMMIT or ROLLBACK: the pool must not lend the connection again. */
  readonly endsSession: boolean;
  /** The largest statement that the server accepts: `max_allowed_packet`. */
  readonly packetBytes: number;
}

/** A bit of the status that the server sends with each answer to a change. */
const NO_BACKSLASH_ESCAPES = 0x200;

/**
 * The sessions of the application's pool, whose settings the queue does not change. It reads the settings of each
 * session once; later changes are not noticed. See docs/decisions/0048.
 */
export class ApplicationSessions {
  private readonly known = new WeakMap<Connection, ApplicationSession>();

  /** What is known of a session: undefined before its first use. */
  get(connection: Connection): ApplicationSession | undefined {
    return this.known.get(connection);
  }

  /**
   * Reads the settings of a session.
   *
   * @throws UnsupportedSessionError
   */
  async read(connection: Connection, queryRunner: QueryRunner): Promise<ApplicationSession> {
    const [session] = (await queryOn<Session>(
      withPlainResults(queryRunner),
      sql`SELECT @@autocommit AS autocommit, @@completion_type AS completion, @@sql_mode AS modes,
                 @@sql_select_limit AS row_limit, @@max_allowed_packet AS packet,
                 CONCAT_WS(',', @@character_set_client, @@character_set_connection, @@character_set_results) AS charsets`,
    )) as [Session];
    const charset = session.charsets.split(',').find((name) => name !== 'utf8mb4');
    if (charset !== undefined) {
      throw new UnsupportedSessionError(
        `the character set ${charset}`,
        'texts would lose characters, and different keys could become equal',
        'Remove "charset" from the options of the data source or set it to \'utf8mb4_general_ci\', and let init_connect ' +
          'of the server set utf8mb4, for example with SET NAMES utf8mb4.',
      );
    }
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
    const known = {
      isAutomatic: Number(session.autocommit) === 1 && session.completion !== 'CHAIN',
      endsSession: session.completion === 'RELEASE',
      packetBytes: Number(session.packet),
    };
    this.known.set(connection, known);
    return known;
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
