import type { QueryRunner } from 'typeorm';

import { UnsupportedSessionError } from '../../../errors/index.js';
import { type Fragment, sql } from '../../sql.js';
import type { Row } from '../../operation.js';
import type { Send } from '../../run-operation.js';
import { queryOn } from '../../through-query-runner.js';
import type { Connection } from './connection.js';
import { withPlainResults } from './plain-results.js';
import { CHECKED_SETTINGS, NO_ESCAPES } from './session-settings.js';

/** What the queue knows of a session. */
export interface ApplicationSession {
  /**
   * Whether the session commits each statement. If not, every operation gets a transaction: otherwise it would be lost,
   * or keep its locks, when the connection returns to the pool.
   */
  readonly isAutomatic: boolean;
  /** Whether its statements see what other transactions may roll back. */
  readonly readsUncommitted: boolean;
  /** Whether the server ends the session after a COMMIT or ROLLBACK: the pool must not lend the connection again. */
  readonly endsSession: boolean;
  /** Whether the server refuses changes that name their rows by a join. */
  readonly refusesJoins: boolean;
  /** The largest statement that the server accepts: `max_allowed_packet`. */
  readonly packetBytes: number;
}

/** A bit of the status that the server sends with each answer to a change. */
const NO_BACKSLASH_ESCAPES = 0x200;

/** Reads the settings of a session. */
function readFor(version: string | undefined): Fragment {
  const columns = CHECKED_SETTINGS.map(({ column, value }) => {
    return sql`${typeof value === 'function' ? value(version) : value} AS ${column}`;
  });
  return sql`SELECT ${sql.join(columns)}`;
}

/**
 * The sessions of the application's pool, whose settings the queue does not change. It reads the settings of each
 * session once; later changes are not noticed. See docs/decisions/0048.
 */
export class ApplicationSessions {
  private readonly known = new WeakMap<object, ApplicationSession>();

  /** @param version the server's version, once it is known. */
  constructor(private readonly version: () => string | undefined) {}

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
    return this.remember(connection, await queryOn(withPlainResults(queryRunner), readFor(this.version())));
  }

  /**
   * The session of another client: known, or read now.
   *
   * @param key the object of the client to which the session belongs.
   * @throws UnsupportedSessionError
   */
  async ofClient(key: object, send: Send): Promise<ApplicationSession> {
    return this.known.get(key) ?? this.remember(key, (await send(readFor(this.version()))).rows);
  }

  private remember(key: object, [first]: readonly Row[]): ApplicationSession {
    const row = first as Readonly<Record<string, number | string | null>> | undefined;
    const valueOf = (name: string) => String(row?.[name] ?? '');
    for (const setting of CHECKED_SETTINGS) {
      const refusal = setting.refuse?.(valueOf(setting.column.sql));
      if (refusal) {
        throw new UnsupportedSessionError(...refusal);
      }
    }
    const completion = valueOf('completion');
    const session = {
      isAutomatic: valueOf('autocommit') === '1' && completion !== 'CHAIN',
      readsUncommitted: valueOf('isolation') === 'READ-UNCOMMITTED',
      endsSession: completion === 'RELEASE',
      refusesJoins: valueOf('safe_updates') === '1' && /mariadb/i.test(valueOf('version')),
      packetBytes: Number(valueOf('packet')),
    };
    this.known.set(key, session);
    return session;
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
    throw new UnsupportedSessionError(...NO_ESCAPES);
  }
}
