import type { Invariant, Violation } from './invariant.js';
import { effectJob } from '../workload/definitions.js';

/** What a transactional handler writes, and enqueues, is committed together with the end of its job. */
export const effectsOnce: Invariant = {
  name: 'effects-once',
  promise: 'What transactional handlers write, and enqueue, is there exactly once, if and only if their job succeeded.',
  check({ all, byToken }) {
    const violations: Violation[] = [];
    for (const { id, token, kind, final } of all.jobs.values()) {
      if (kind !== effectJob.name) {
        continue;
      }
      const effects = all.effects.get(token) ?? [];
      const wanted = final?.state === 'succeeded' ? [final.attempt] : [];
      if (effects.join(',') !== wanted.join(',')) {
        const ended = final ? `has ${final.state} with attempt ${final.attempt}` : 'has not ended';
        violations.push({
          text: `A job with a transactional handler ${ended}, and has left ${effects.length} effects, of the attempts [${effects.join(', ')}].`,
          ids: [id],
        });
      }
    }
    for (const { token, way } of all.enqueues.values()) {
      if (way === 'handler') {
        const [parent = '', attempt] = token.split('+');
        const isCommitted = all.effects.get(parent)?.includes(Number(attempt)) ?? false;
        const follow = byToken.get(token);
        if (isCommitted !== (follow !== undefined)) {
          violations.push({
            text: `The job that a transactional handler has enqueued ${follow ? 'exists, though its transaction was not committed' : 'is gone, though its transaction was committed'}.`,
            ids: [follow?.id ?? token],
          });
        }
      }
    }
    for (const token of all.effects.keys()) {
      if (!byToken.has(token)) {
        violations.push({ text: 'There is an effect of a job that does not exist.', ids: [token] });
      }
    }
    return violations;
  },
};
