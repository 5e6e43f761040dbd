import type { Evidence } from '../evidence/evidence.js';
import type { GroupRecord, JobEvidence } from '../evidence/gathered-evidence.js';
import type { Callback } from '../journal/journal-entry.js';
import type { Invariant, Violation } from './invariant.js';

export const groupsReleased: Invariant = {
  name: 'groups-released',
  guarantee: 'The right callbacks of each group ran, after its members had ended, and no others.',
  check: (evidence) => [
    ...evidence.all.groups.flatMap((group) => checkGroup(group, evidence)),
    ...findUnfinished(evidence),
  ],
};

/** The reaper would check an unfinished group forever. */
function findUnfinished({ all }: Evidence): Violation[] {
  const haveAllEnded = [...all.jobs.values()].every(({ live }) => live === undefined);
  return haveAllEnded && all.openGroups.length > 0
    ? [{ text: 'All jobs have ended, but some groups are not finished.', ids: all.openGroups }]
    : [];
}

function checkGroup({ members, callbacks }: GroupRecord, evidence: Evidence): Violation[] {
  const { byToken } = evidence;
  const entries = Object.entries(callbacks) as [Callback, string][];
  const tokens = [...members, ...entries.map(([, token]) => token)];
  const found = tokens.flatMap((token) => byToken.get(token) ?? []);
  if (found.length !== tokens.length) {
    const text = `Of a group of ${tokens.length} jobs only ${found.length} exist.`;
    return found.length === 0 ? [] : [{ text, ids: found.map(({ id }) => id) }];
  }
  const ended = found.slice(0, members.length).filter(hasEnded);
  if (ended.length < members.length) {
    return [];
  }
  return entries.flatMap(([name, token]) => {
    const callback = byToken.get(token)!;
    const text = findError(name, callback, ended, evidence);
    return text === undefined ? [] : [{ text, ids: [callback.id, ...ended.map(({ id }) => id)] }];
  });
}

type EndedJob = JobEvidence & { readonly final: NonNullable<JobEvidence['final']> };

function hasEnded(job: JobEvidence): job is EndedJob {
  return job.final !== undefined;
}

function findError(
  name: Callback,
  callback: JobEvidence,
  members: readonly EndedJob[],
  evidence: Evidence,
): string | undefined {
  const failed = members.filter(({ final }) => final.state !== 'succeeded');
  const shouldRun = name === 'onComplete' || name === (failed.length > 0 ? 'onFailure' : 'onSuccess');
  const expected = shouldRun ? 'succeeded' : 'cancelled';
  if (!hasEnded(callback)) {
    return undefined;
  }
  if (callback.final.state !== expected) {
    return (
      `A callback (${name}) has ${callback.final.state} instead of ${expected}, after ${failed.length} of ` +
      `${members.length} members did not succeed.`
    );
  }
  if (!shouldRun) {
    return undefined;
  }
  const [awaited, last] = name === 'onFailure' ? [failed, Math.min] : [members, Math.max];
  // The server may have lost that a member had ended. The callback runs again after it.
  const first = callback.calls.find(({ from }) => !evidence.mayBeLost(from));
  const early = last(...awaited.map(handlerEnd)) - (first?.from ?? Infinity);
  // A retry of the callback may have increased its `runAt`, so this finds some early callbacks only.
  const earlyByClock = last(...awaited.map(({ final }) => earlyFor(final.finishedAt - callback.final.runAt, evidence)));
  const most = Math.max(early, earlyByClock);
  return most > 0
    ? `A callback (${name}) was triggered ${most.toFixed(1)} ms before its members had ended.`
    : undefined;
}

/** Unknown if a wrong clock explains the difference. The nodes of a cluster have different clocks. */
function earlyFor(difference: number, evidence: Evidence): number {
  return evidence.all.isGalera || evidence.isOfClock(difference) ? -Infinity : difference;
}

/**
 * Returns when the last handler of a member ended, just before its outcome was committed. Unknown for cancelled jobs.
 */
function handlerEnd({ final, calls }: EndedJob): number {
  const last = final.state === 'cancelled' ? undefined : calls.find(({ attempt }) => attempt === final.attempt);
  return last?.to ?? -Infinity;
}
