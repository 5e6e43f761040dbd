import { ID_BYTES } from '../../definition/job-id.js';
import type { DriverLiteral } from '../sql.js';

const DIGITS = 2 * ID_BYTES;

/**
 * A list of ids as one value, which mysql2 writes as literals: faster than a value for each. See docs/decisions/0023.
 */
export class IdLiterals implements DriverLiteral {
  private text: string | undefined;

  constructor(private readonly ids: readonly Buffer[]) {}

  /** Computed once: the SELECT that locks jobs and the statement that changes them have the same list. */
  toSqlString(): string {
    return (this.text ??= literalsOf(this.ids));
  }
}

function literalsOf(ids: readonly Buffer[]): string {
  const hex = Buffer.concat(ids).toString('hex');
  const digits: string[] = [];
  for (let at = 0; at < hex.length; at += DIGITS) {
    digits.push(hex.slice(at, at + DIGITS));
  }
  return `x'${digits.join("',x'")}'`;
}
