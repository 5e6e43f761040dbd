import type { Evidence } from '../evidence/evidence.js';
import type { UnsettledState } from '../evidence/gathered-evidence.js';
import { type Invariant, type Violation, forEachJob } from './invariant.js';

/** A server that loses commits also loses outcomes: the job is running again, but its worker has forgotten it. */
export const runningIsRun: Invariant = {
  name: 'running-is-run',
  guarantee: 'No job stays running under a live worker that does not run it.',
  check: forEachJob(({ kind, live, calls }) => {
    const open = live?.state === 'running' && calls.some((call) => call.attempt === live.attempt && !call.to);
    return live?.state === 'running' && !open
      ? `A job (${kind}) is still running with attempt ${live.attempt}, but no handler runs it.`
      : undefined;
  }),
};

/** Such rows would block the unique key, the group or the cancellation of a job that has finished. */
export const nothingWithoutJob: Invariant = {
  name: 'nothing-without-job',
  guarantee: 'No unique key, open member of a group or request to cancel is left without its unfinished job.',
  check: unsettled('nothing-without-job'),
};

export const maintenanceGoesOn: Invariant = {
  name: 'maintenance-goes-on',
  guarantee: 'After the last fault, maintenance and recurring jobs go on, and `health` has no warning.',
  check: unsettled('maintenance-goes-on'),
};

function unsettled(name: UnsettledState['invariant']): (evidence: Evidence) => Violation[] {
  return ({ all }) =>
    all.unsettled.filter(({ invariant }) => invariant === name).map(({ text }) => ({ text, ids: [] }));
}
