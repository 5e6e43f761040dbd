import type { ExaminedServer } from '../../examined.js';

/** How to allow the account to see the transactions of others. */
export function processPrivilege({ account }: ExaminedServer): string[] {
  return [`GRANT PROCESS ON *.* TO ${account};`, 'Or run the doctor with an account that has this privilege.'];
}
