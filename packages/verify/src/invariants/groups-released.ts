import type { Evidence, GroupRecord, JobEvidence } from '../evidence/evidence.js';
import type { Callback } from '../journal/entries.js';
import type { Invariant, Violation } from './invariant.js';

export const groupsReleased: Invariant = {
  name: 'groups-released',
  promise: 'Of the jobs that wait for a group those have run whose time has come, not before, and no others.',
  check: (evidence) => [
    ...evidence.all.groups.flatMap((group) => checkGroup(group, evidence)),
    ...unfinished(evidence),
  ],
};

/** The reaper would look at them for ever. */
function unfinished({ all }: Evidence): Violation[] {
  const areAllOver = [...all.jobs.values()].every(({ live }) => live === undefined);
  return areAllOver && all.openGroups.length > 0
    ? [{ text: 'All jobs have ended, and of groups of them it is not known.', ids: all.openGroups }]
    : [];
}

function checkGroup({ members, callbacks }: GroupRecord, evidence: Evidence): Violation[] {
  const { byToken } = evidence;
  const waiting = Object.entries(callbacks) as [Callback, string][];
  const tokens = [...members, ...waiting.map(([, token]) => token)];
  const found = tokens.flatMap((token) => byToken.get(token) ?? []);
  if (found.length !== tokens.length) {
    const text = `Of a group of ${tokens.length} jobs ${found.length} are there.`;
    return found.length === 0 ? [] : [{ text, ids: found.map(({ id }) => id) }];
  }
  const ended = found.slice(0, members.length).filter(hasEnded);
  if (ended.length < members.length) {
    return [];
  }
  return waiting.flatMap(([name, token]) => {
    const callback = byToken.get(token)!;
    const text = wrong(name, callback, ended, evidence);
    return text === undefined ? [] : [{ text, ids: [callback.id, ...ended.map(({ id }) => id)] }];
  });
}

type EndedJob = JobEvidence & { readonly final: NonNullable<JobEvidence['final']> };

function hasEnded(job: JobEvidence): job is EndedJob {
  return job.final !== undefined;
}

function wrong(
  name: Callback,
  callback: JobEvidence,
  members: readonly EndedJob[],
  { all }: Evidence,
): string | undefined {
  const failed = members.filter(({ final }) => final.state !== 'succeeded');
  const hasFailure = failed.length > 0;
  const isToRun = name === 'onComplete' || name === (hasFailure ? 'onFailure' : 'onSuccess');
  const wanted = isToRun ? 'succeeded' : 'cancelled';
  if (!hasEnded(callback)) {
    return undefined;
  }
  if (callback.final.state !== wanted) {
    return `A job (${name}) should have ${wanted}, for ${failed.length} of ${members.length} have not succeeded, and has ${callback.final.state}.`;
  }
  if (!isToRun) {
    return undefined;
  }
  const [awaited, last] = name === 'onFailure' ? [failed, Math.min] : [members, Math.max];
  const early = last(...awaited.map(handlerEnd)) - (callback.calls[0]?.from ?? Infinity);
  // A retry has made it later.
  const earlyByClock = last(...awaited.map(({ final }) => final.finishedAt)) - callback.final.runAt;
  // The nodes of a cluster have clocks of their own.
  const most = Math.max(early, all.isGalera ? -Infinity : earlyByClock);
  return most > 0
    ? `A job (${name}) was released ${most.toFixed(1)} ms before what it waits for had ended.`
    : undefined;
}

/**
 * When the last handler of a member came to its end, which is before its outcome was committed. Nothing is to be had
 * from that of one that was cancelled.
 */
function handlerEnd({ final, calls }: EndedJob): number {
  const last = final.state === 'cancelled' ? undefined : calls.find(({ attempt }) => attempt === final.attempt);
  return last?.to ?? -Infinity;
}
