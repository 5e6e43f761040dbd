import type { PassingCommand, ProxiedConnection } from '@tablequeue/verify/internal';

/** What separates the statements of one transaction in a path. */
export const THEN = ' › ';

/**
 * Names the statements that pass, the same in each run: by its kind and its table, behind those before it in its
 * transaction. Which connection a statement takes, and what was sent between, does not matter then.
 */
export class StatementPaths {
  private readonly open = new WeakMap<ProxiedConnection, string[]>();

  /** @returns undefined for what is no statement. */
  pathOf({ connection, text }: PassingCommand): string | undefined {
    if (text === undefined) {
      return undefined;
    }
    const name = nameOf(text);
    if (name === 'START TRANSACTION') {
      this.open.set(connection, [name]);
      return name;
    }
    if (name === SETTINGS) {
      // Only a session's first operation reads them, in a transaction or not.
      return name;
    }
    const open = this.open.get(connection);
    open?.push(name);
    if (name === 'COMMIT' || name === 'ROLLBACK') {
      this.open.delete(connection);
    }
    return open?.join(THEN) ?? name;
  }
}

/** Reads the settings of a session before its first operation. */
export const SETTINGS = 'SELECT @@';

/** Whether it is of the beginning of a session: how many connections a worker opens depends on the moment. */
export function beginsSession(path: string): boolean {
  return /^(SET|SHOW)\b/.test(path) || path === SETTINGS;
}

/** `UPDATE tq_job`, `SELECT tq_job FOR UPDATE`, `COMMIT`. */
export function nameOf(text: string): string {
  const plain = text.replaceAll(/'(?:[^'\\]|\\.|'')*'/gs, '?').replaceAll('`', '');
  const verb = /^\W*(START TRANSACTION|RELEASE SAVEPOINT|ROLLBACK TO SAVEPOINT|\w+)/.exec(plain)?.[1] ?? plain;
  const table = /\b(tq_\w+|run|note)\b/.exec(plain)?.[1];
  if (verb === 'SELECT' && table === undefined && plain.includes('@@')) {
    return SETTINGS;
  }
  const variable = /^SET (?:SESSION )?([@\w]+)/.exec(plain)?.[1];
  const lock = /FOR UPDATE/.test(plain) ? 'FOR UPDATE' : undefined;
  return [verb, table ?? variable, verb === 'SELECT' ? lock : undefined].filter(Boolean).join(' ');
}
