/*
 * What the compiler refuses of looking through jobs and acting by hand: see payloads.ts.
 */
import type { TableQueue } from '@tablequeue/typeorm';

export async function browse(queue: TableQueue): Promise<void> {
  const { jobs, next } = await queue.jobs.list({ state: 'failed', queue: 'mail', errorIncludes: 'timeout' });
  await queue.jobs.list({ state: 'ready', limit: 10, ...(next !== undefined && { after: next }) });
  // @ts-expect-error -- the state is missing
  await queue.jobs.list({ queue: 'mail' });
  // @ts-expect-error -- no such state
  await queue.jobs.list({ state: 'done' });
  // @ts-expect-error -- a list has no payloads
  jobs.map(({ payload }) => payload);
}

export async function search(queue: TableQueue): Promise<void> {
  const { jobs, next } = await queue.jobs.search('order:42', { payload: true });
  await queue.jobs.search('order:42', { state: 'failed', ...(next !== undefined && { after: next }) });
  // @ts-expect-error -- a text is needed
  await queue.jobs.search({ state: 'failed' });
  // @ts-expect-error -- no such state
  await queue.jobs.search('order:42', { state: 'done' });
  // @ts-expect-error -- a search returns no payloads
  jobs.map(({ payload }) => payload);
}

export async function act(queue: TableQueue): Promise<void> {
  const { changed } = await queue.jobs.runNow('019a0000-0000-7000-8000-000000000000', { by: 'ada' });
  await queue.jobs.changePriority({ state: 'ready' }, changed, { by: null });
  await queue.jobs.cancel(['019a0000-0000-7000-8000-000000000000']);
  await queue.control.pause('mail', { by: 'ada' });
  // @ts-expect-error -- the priority is missing
  await queue.jobs.changePriority({ state: 'ready' });
  // @ts-expect-error -- no number of a job
  await queue.jobs.retry(7);
  // @ts-expect-error -- no such action
  await queue.jobs.preview('burn', { state: 'ready' });
  // @ts-expect-error -- no such option
  await queue.jobs.runNow({ state: 'scheduled' }, { who: 'ada' });
}

export async function actByHand({ manual }: TableQueue): Promise<void> {
  const copy = await manual.copy('019a0000-0000-7000-8000-000000000000', { payload: { to: 'ada' }, delay: '1h' });
  await manual.reschedule(copy, { runAt: new Date(), by: 'ada', reason: 'too early' });
  // @ts-expect-error -- the name is missing
  await manual.enqueue({ queue: 'mail', payload: 1 });
  // @ts-expect-error -- the payload is missing
  await manual.retry(copy);
  // @ts-expect-error -- a copy has the priority of the job
  await manual.copy(copy, { priority: 3 });
}

export async function watch(queue: TableQueue): Promise<void> {
  const { points } = await queue.activity.throughput('hour', 'mail');
  // @ts-expect-error -- nothing may have ended
  points.map(({ latencyMean }) => latencyMean.toFixed());
  // @ts-expect-error -- no such span
  await queue.activity.throughput('week');
}
