import type { ExaminedServer } from '../../examined.js';

/** What gives the privilege to see the transactions of others. */
export function processPrivilege({ account }: ExaminedServer): string[] {
  return [`GRANT PROCESS ON *.* TO ${account};`, 'Or run the doctor as an account that has it.'];
}
