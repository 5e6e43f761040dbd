import { MOST_CHARACTERS } from '../../../store/base/chunks.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { numberOf } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

const MIB = 1024 * 1024;

/** The rest of a statement beside its payload, at most: names, keys, ids. */
const REST = 64 * 1024;

/** Every byte of a payload can be escaped as two; a character that is not escaped has up to three bytes. */
const ESCAPED = 2;
const BYTES = 3;

/** Whether the server accepts the longest statements of the queue. */
export const packetSize: Check<ExaminedServer> = {
  name: 'packet-size',
  run({ globals, limits }) {
    const size = numberOf(globals, 'max_allowed_packet');
    const found = `max_allowed_packet = ${inMib(size)}, largest payload ${inMib(limits.maxPayloadBytes)}`;
    const one = ESCAPED * limits.maxPayloadBytes + REST;
    const bulk = Math.max(one, BYTES * MOST_CHARACTERS + REST);
    const wanted = Math.max(16, 2 ** Math.ceil(Math.log2(bulk / MIB)));
    const change = [`SET GLOBAL max_allowed_packet = ${wanted * MIB};`, `my.cnf: max_allowed_packet = ${wanted}M`];
    if (size < one) {
      const why =
        'The INSERT of a job with the largest payload exceeds this limit when it is escaped: the enqueue fails.';
      return problem(
        found,
        why,
        ...change,
        `Or set maxPayloadBytes of the queue to ${Math.max(0, Math.floor((size - REST) / ESCAPED))}.`,
      );
    }
    return size < bulk
      ? warning(found, 'A bulk enqueue of jobs with long payloads can exceed this limit.', ...change)
      : ok(found);
  },
};

function inMib(bytes: number): string {
  return `${Number((bytes / MIB).toFixed(2))} MiB`;
}
