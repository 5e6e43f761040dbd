import { MOST_CHARACTERS } from '../../../store/base/chunks.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { numberOf } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

const MIB = 1024 * 1024;

/** What a statement is longer than its payload, at most: names, keys, ids. */
const REST = 64 * 1024;

/** Every byte of a payload may be escaped to two; a character that is not escaped has up to three bytes. */
const ESCAPED = 2;
const BYTES = 3;

/** Whether the server takes the longest statements of the queue. */
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
        'A job with the largest payload does not fit into one statement once it is escaped: its enqueue fails.';
      return problem(
        found,
        why,
        ...change,
        `Or give the queue a maxPayloadBytes of ${Math.max(0, Math.floor((size - REST) / ESCAPED))}.`,
      );
    }
    return size < bulk
      ? warning(found, 'Many jobs with long payloads, enqueued at once, may not fit into one statement.', ...change)
      : ok(found);
  },
};

function inMib(bytes: number): string {
  return `${Number((bytes / MIB).toFixed(2))} MiB`;
}
