import { driverErrorNumber } from '../../../engine/mysql/mysql-errors.js';
import type { ExaminedServer } from '../../examined.js';

/** ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR. */
const DENIED: ReadonlySet<number | undefined> = new Set([1227, 1142, 1143]);

/** Whether a statement was refused for want of a privilege. */
export function isPrivilegeMissing(error: unknown): boolean {
  return DENIED.has(driverErrorNumber(error));
}

/** What gives the privilege to see the transactions of others. */
export function processPrivilege({ account }: ExaminedServer): string[] {
  return [`GRANT PROCESS ON *.* TO ${account};`, 'Or run the doctor as an account that has it.'];
}
