import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';
import { type Invariant, forEachJob } from './invariant.js';

/**
 * A claim compares the expiry time with the time that it stores, so no fault explains a late claim, also none of the
 * clock. Only the claim of the first attempt is compared, and only if no later one has replaced its time. After a lost
 * answer or a crash, the number of the attempt that had to start in time is unknown.
 */
export const startsOrExpires: Invariant = {
  name: 'starts-or-expires',
  guarantee: 'A job with an expiry time is claimed before it, or expires after it and never runs.',
  check: forEachJob(findLimitError),
};

function findLimitError({ token, kind, final, calls }: JobEvidence, evidence: Evidence): string | undefined {
  const limit = evidence.all.enqueues.get(token)?.limit;
  if (!final) {
    return undefined;
  }
  if (limit === undefined) {
    return final.state === 'expired' ? `A job (${kind}) has expired, but has no expiry time.` : undefined;
  }
  const expiresAt = final.createdAt + limit;
  if (final.state !== 'expired') {
    const late = final.attempt === 1 && final.claimedAt !== null ? final.claimedAt - expiresAt : -1;
    return late < 0 ? undefined : `A job (${kind}) was claimed ${late} ms after its expiry time.`;
  }
  const started = calls.find(({ from }) => !evidence.mayBeLost(from));
  if (started) {
    return `A job (${kind}) has expired, but ${started.process} had started attempt ${started.attempt}.`;
  }
  const early = expiresAt - final.finishedAt;
  return early > 0 && !hasSeveralClocks(evidence)
    ? `A job (${kind}) has expired ${early} ms before its expiry time.`
    : undefined;
}

/** A clock may be set back between the statement that finds an expired job and the one that ends it. */
function hasSeveralClocks({ all }: Evidence): boolean {
  return all.isGalera || all.faults.some(({ allows }) => allows.includes('clock'));
}
