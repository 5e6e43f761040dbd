import { TableQueueError } from './table-queue.error.js';

/**
 * The database account lacks a privilege that the call needs. The call took no effect. The driver's error is the
 * `cause`. Thrown on MySQL and MariaDB.
 */
export class MissingPrivilegeError extends TableQueueError {
  constructor(
    what: string,
    /** What to grant: `DELETE ON tq_job`; undefined if the server's message does not show it. */
    readonly privilege: string | undefined,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = privilege === undefined ? 'Grant the missing privilege' : `Run GRANT ${privilege} TO the account`;
    super(`Cannot ${what}: ${reason}. ${advice}; "npx tablequeue doctor" prints every missing GRANT.`, { cause });
  }
}
