import type { ProcessEvidence } from '../evidence/gathered-evidence.js';
import type { Invariant, Violation } from './invariant.js';

/** How much the heap of a process may grow after it has warmed up. */
const GROWTH = { bytes: 12 * 2 ** 20, share: 0.25 } as const;

/** Each process reports its open resources and its heap before it exits. */
export const nothingLeftOpen: Invariant = {
  name: 'nothing-left-open',
  guarantee: 'No process left a connection or a timer open, kept growing in memory, or exited unexpectedly.',
  check: ({ all }) => [
    ...all.processes.flatMap((process) => findErrors(process).map((text) => ({ text, ids: [] }))),
    ...all.problems.map((text): Violation => ({ text, ids: [] })),
  ],
};

function findErrors({ name, report, unexpectedExit, wasAskedToStop, openPorts }: ProcessEvidence): string[] {
  const errors: string[] = [];
  if (unexpectedExit !== undefined) {
    errors.push(`${name} exited unexpectedly, with ${unexpectedExit}.`);
  } else if (wasAskedToStop && !report) {
    errors.push(`${name} was asked to stop, but did not stop in time.`);
  }
  if (report && report.openResources.length > 0) {
    errors.push(`${name} has stopped, but these resources are still open: ${report.openResources.join(', ')}.`);
  }
  if (openPorts.length > 0) {
    errors.push(`${name} has stopped, but the server still has ${openPorts.length} connections to it.`);
  }
  const heap = report?.heap;
  if (heap && heap.after > heap.before * (1 + GROWTH.share) + GROWTH.bytes) {
    const [before, after] = [heap.before, heap.after].map((bytes) => `${Math.round(bytes / 2 ** 20)} MiB`);
    errors.push(`The heap of ${name} grew from ${before}, after it had warmed up, to ${after} at its end.`);
  }
  return errors;
}
