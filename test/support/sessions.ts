/** A row of the server's list of sessions. */
export interface Session {
  readonly Id: number | string;
  readonly User: string;
  readonly db: string | null;
  readonly Command: string;
  readonly Time: number | string;
  readonly State: string | null;
  readonly Info: string | null;
}

const QUERY = 'SHOW FULL PROCESSLIST';

/**
 * The sessions of the server but the one that asks. On MySQL, `information_schema.processlist` fails while any session,
 * also that of another test, runs a statement with bytes that are no text.
 */
export async function sessionsOf(on: { query(statement: string): Promise<unknown> }): Promise<readonly Session[]> {
  return ((await on.query(QUERY)) as Session[]).filter(({ Info }) => Info !== QUERY);
}
