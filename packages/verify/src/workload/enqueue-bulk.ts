import type { JobDefinition } from '@tablequeue/typeorm';

import type { Random } from '../random.js';
import { type Payload, TENANTS, expiringJob, longestWork, tenantJob } from './definitions.js';
import type { ProducerCalls } from './producer-calls.js';
import type { EnqueueDetails } from './recorded-calls.js';

/** Options of a job of a bulk call. Times in ms. */
interface BulkOptions {
  readonly delay?: number;
  readonly expiresIn?: number;
  readonly tenant?: string;
}

/** Enqueues jobs in one call, and records it before and after. Returns their number. */
export async function enqueueBulk(
  calls: ProducerCalls,
  definition: JobDefinition<Payload>,
  count: number,
  random: Random,
  drawOptions: () => BulkOptions = () => ({}),
): Promise<number> {
  const { queue, journal } = calls.context;
  const jobs = Array.from({ length: count }, () => {
    return { payload: calls.drawPayload(random, longestWork(definition)), ...drawOptions() };
  });
  for (const { payload, ...options } of jobs) {
    const details = detailsOf(options);
    journal.write({ event: 'enqueue', token: payload.token, kind: definition.name, method: 'bulk', ...details });
  }
  const tokens = jobs.map(({ payload }) => payload.token);
  try {
    const stored = await queue.enqueueMany(definition, jobs);
    tokens.forEach((token, index) => {
      journal.write({ event: 'enqueued', token, id: stored[index]!.id, created: true });
    });
  } catch (error) {
    tokens.forEach((token) => journal.write({ event: 'enqueue-failed', token, error: String(error) }));
  }
  return jobs.length;
}

function detailsOf({ delay = 0, expiresIn, tenant }: BulkOptions): EnqueueDetails {
  return { ...(expiresIn !== undefined && { limit: delay + expiresIn }), ...(tenant !== undefined && { tenant }) };
}

/** Enqueues jobs that start or expire: half of them have less time than workers usually need. */
export function enqueueExpiring(calls: ProducerCalls, count: number, random: Random): Promise<number> {
  return enqueueBulk(calls, expiringJob, count, random, () => ({
    delay: random.chance(0.3) ? random.integer(50, 1_000) : 0,
    expiresIn: random.chance(0.5) ? random.integer(1, 20) : random.integer(50, 3_000),
  }));
}

/** Enqueues jobs of a few tenants, each with a rate. */
export function enqueueForTenants(calls: ProducerCalls, count: number, random: Random): Promise<number> {
  return enqueueBulk(calls, tenantJob, count, random, () => ({ tenant: `tenant-${random.integer(1, TENANTS)}` }));
}
