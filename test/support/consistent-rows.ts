import { expect } from '@jest/globals';
import type { TableQueueJob } from '@tablequeue/typeorm';
import { isLive } from '@tablequeue/typeorm/internal';

/** Expects that the owner, the place in the index and the end of each job match its state. */
export function expectConsistent(jobs: readonly TableQueueJob[]): void {
  expect(jobs.filter((job) => !isConsistent(job))).toEqual([]);
}

function isConsistent({ state, owner, lane, position, finishedAt }: TableQueueJob): boolean {
  return isLive(state)
    ? finishedAt === 0 && owner === (state === 'running' ? lane : 0)
    : finishedAt > 0 && lane === 0 && position === finishedAt;
}
