import type { ProcessEvidence } from '../evidence/evidence.js';
import type { Invariant, Violation } from './invariant.js';

/** How much more a process may need at its end than when it was warm, in bytes and as a part of that. */
const GROWTH = { bytes: 12 * 2 ** 20, part: 0.25 } as const;

/** Each process tells at its end what it has open, and what it needs. */
export const nothingLeftOpen: Invariant = {
  name: 'nothing-left-open',
  promise: 'No process has left a connection or a timer open, needed more and more memory, or ended by itself.',
  check: ({ all }) => [
    ...all.processes.flatMap((process) => wrong(process).map((text) => ({ text, ids: [] }))),
    ...all.troubles.map((text): Violation => ({ text, ids: [] })),
  ],
};

function wrong({ name, report, ownEnd, wasFinished, openPorts }: ProcessEvidence): string[] {
  const found: string[] = [];
  if (ownEnd !== undefined) {
    found.push(`${name} has ended by itself, with ${ownEnd}.`);
  } else if (wasFinished && !report) {
    found.push(`${name} was told to stop and did not come to its end in order.`);
  }
  if (report && report.left.length > 0) {
    found.push(`${name} has stopped, and this is still open there: ${report.left.join(', ')}.`);
  }
  if (openPorts.length > 0) {
    found.push(`${name} has stopped, and the server still has ${openPorts.length} connections of it.`);
  }
  const heap = report?.heap;
  if (heap && heap.after > heap.before * (1 + GROWTH.part) + GROWTH.bytes) {
    const [before, after] = [heap.before, heap.after].map((bytes) => `${Math.round(bytes / 2 ** 20)} MiB`);
    found.push(`${name} needed ${before} when it was warm, and ${after} at its end.`);
  }
  return found;
}
