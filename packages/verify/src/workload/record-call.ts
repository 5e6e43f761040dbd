import type { JobContext } from '@tablequeue/typeorm';

import type { Journal } from '../journal/journal.js';
import { type Payload, doomedJob } from './definitions.js';

/** Calls a handler, and records its start and its end. */
export async function recordCall(
  journal: Journal,
  payload: Payload,
  job: JobContext,
  work: () => Promise<unknown>,
): Promise<void> {
  const { id, attempt, name: kind, failures } = job;
  const { token, key, fails } = payload;
  journal.write({ event: 'start', id, attempt, kind, token, ...(key !== undefined && { key }) });
  try {
    await work();
    if (failures < fails || kind === doomedJob.name) {
      throw new Error(`attempt ${attempt} fails on purpose`);
    }
  } catch (error) {
    journal.write({ event: 'end', id, attempt, result: 'threw' });
    throw error;
  }
  journal.write({ event: 'end', id, attempt, result: 'returned' });
}
