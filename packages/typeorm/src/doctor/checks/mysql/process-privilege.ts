import { driverErrorNumber } from '../../../engine/mysql/mysql-errors.js';

/** ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR. */
const DENIED = [1227, 1142, 1143];

/** Whether a statement was refused for want of a privilege. */
export function isPrivilegeMissing(error: unknown): boolean {
  return DENIED.includes(driverErrorNumber(error) ?? 0);
}

/** What gives the privilege to see the transactions of others. */
export function processPrivilege(): string[] {
  return ['GRANT PROCESS ON *.* TO <this account>;', 'Or run the doctor as an account that has it.'];
}
