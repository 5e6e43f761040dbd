import { uuidFromBytes } from '../../definition/job-id.js';
import type { Instrumentation } from '../../instrumentation/instrumentation.js';
import { type NewJob, commonOf } from '../../store/enqueue/new-job.js';
import type { EnqueuedJob } from './enqueued-job.js';

/**
 * Stores jobs with their trace, and tells the instrumentation how that went.
 *
 * @param store what stores them, and says what became of each.
 */
export async function sendJobs<Stored extends readonly EnqueuedJob[] | undefined>(
  instrumentation: Instrumentation,
  jobs: readonly NewJob[],
  store: (jobs: readonly NewJob[]) => Promise<Stored>,
): Promise<Stored> {
  const sending = instrumentation.send({
    queue: commonOf(jobs, ({ queue }) => queue),
    name: commonOf(jobs, ({ name }) => name),
    count: jobs.length,
  });
  const { trace } = sending;
  let storing: Promise<Stored> | undefined;
  sending.run(() => {
    storing = store(trace === undefined ? jobs : jobs.map((job) => ({ ...job, trace })));
  });
  try {
    const stored = (await storing) as Stored;
    const [only] = jobs;
    sending.succeeded(jobs.length === 1 && only ? (stored?.[0]?.id ?? uuidFromBytes(only.id)) : undefined);
    return stored;
  } catch (error) {
    sending.failed(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}
