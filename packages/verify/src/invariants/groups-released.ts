import type { Evidence, GroupAct, JobEvidence } from '../evidence/evidence.js';
import type { Callback } from '../journal/entries.js';
import type { Invariant, Violation } from './invariant.js';

/**
 * A member has ended when its outcome is committed, which is after its handler has come to its end: so long nothing that waits
 * for it begins. Of one that was cancelled nobody has noted when.
 */
export const groupsReleased: Invariant = {
  name: 'groups-released',
  promise: 'Of the jobs that wait for a group those have run whose time has come, not before, and no others.',
  check: (evidence) => evidence.all.groups.flatMap((group) => checkGroup(group, evidence)),
};

function checkGroup({ members, callbacks }: GroupAct, { byToken }: Evidence): Violation[] {
  const waiting = Object.entries(callbacks) as [Callback, string][];
  const tokens = [...members, ...waiting.map(([, token]) => token)];
  const found = tokens.flatMap((token) => byToken.get(token) ?? []);
  if (found.length !== tokens.length) {
    const text = `Of a group of ${tokens.length} jobs ${found.length} are there.`;
    return found.length === 0 ? [] : [{ text, ids: found.map(({ id }) => id) }];
  }
  const jobs = found.slice(0, members.length);
  if (jobs.some(({ final }) => final === undefined)) {
    return [];
  }
  return waiting.flatMap(([name, token]) => {
    const callback = byToken.get(token)!;
    const text = wrong(name, callback, jobs);
    return text === undefined ? [] : [{ text, ids: [callback.id, ...jobs.map(({ id }) => id)] }];
  });
}

function wrong(name: Callback, { final, runs }: JobEvidence, members: readonly JobEvidence[]): string | undefined {
  const failed = members.filter((member) => member.final?.state !== 'succeeded');
  const hasFailure = failed.length > 0;
  const isToRun = name === 'whenDone' || name === (hasFailure ? 'whenFailed' : 'whenSucceeded');
  const wanted = isToRun ? 'succeeded' : 'cancelled';
  if (final && final.state !== wanted) {
    return `A job (${name}) has ${final.state}, though ${failed.length} of the ${members.length} it waited for have not succeeded.`;
  }
  const [first] = runs;
  const from = name === 'whenFailed' ? Math.min(...failed.map(endOf)) : Math.max(...members.map(endOf));
  return first && first.from < from
    ? `A job (${name}) began ${(from - first.from).toFixed(1)} ms before what it waits for had ended.`
    : undefined;
}

/** When its last handler came to its end; nothing is known of one that never ran. */
function endOf({ final, runs }: JobEvidence): number {
  return runs.find(({ attempt }) => attempt === final?.attempt)?.to ?? -Infinity;
}
