/**
 * Returns the known name that a misspelled one is most likely for: at most a third of its letters differ. Upper and
 * lower case do not count. Undefined if none is near enough.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((candidate) => ({ candidate, edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}

/** The number of letters to add, remove, change, or swap with the next one (optimal string alignment). */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwap ? beforeLast[column - 2]! + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}

/** What to use instead of the options of other queues, such as BullMQ, and of options that belong elsewhere. */
const HINTS: Readonly<Record<string, string>> = {
  attempts: 'Use "retry.attempts" of the job definition.',
  backoff: 'Use "retry.backoff" of the job definition.',
  blockingConnection: 'The queue uses the connections of its data source.',
  children: 'Use "queue.groups.enqueue", whose callbacks wait for the jobs of a group.',
  concurrency: 'Use "concurrency" or "queues" of the worker, or "queue.control.limit" for all processes.',
  connection: 'The queue uses the connections of its data source.',
  cron: 'Use "queue.recurring.set".',
  data: 'Use "payload".',
  debounce: 'Use "delay", and "unique" with "onConflict: \'replace\'" and "maxWait".',
  deduplication: 'Use "unique".',
  defaultJobOptions: 'Put the options into the job definition.',
  drainDelay: 'Use "pollInterval" of the worker.',
  failParentOnFailure: 'Use "onFailure" of the group.',
  jobId: 'Use "unique.key" to store a job only once, or "key" to find it.',
  keepLogs: 'Use "retention" of the worker.',
  lifo: 'Use "priority": jobs with a smaller number run first.',
  limiter: 'Use "queue.control.limit" with "rate".',
  lockDuration: 'Use "lease" of the worker.',
  maxAttempts: 'Use "retry.attempts" of the job definition.',
  maxStalledCount: 'Use "retry.crashes" of the job definition.',
  parent: 'Use "queue.groups.enqueue", whose callbacks wait for the jobs of a group.',
  queue: 'Use "queue" of the job definition.',
  rateLimiter: 'Use "queue.control.limit" with "rate".',
  removeOnComplete: 'Use "retention.succeeded" of the worker, or "keep: \'none\'" of the job definition.',
  removeOnFail: 'Use "retention.failed" of the worker.',
  repeat: 'Use "queue.recurring.set".',
  repeatJobKey: 'Use "queue.recurring.set".',
  retries: 'Use "retry.attempts" of the job definition.',
  retry: 'Use "retry" of the job definition.',
  retryLimit: 'Use "retry.attempts" of the job definition.',
  schema: 'Use "schema" of the job definition.',
  settings: 'Use "retry.backoff" of the job definition.',
  singletonKey: 'Use "unique.key".',
  stalledInterval: 'Use "lease" of the worker.',
  startAfter: 'Use "delay" or "runAt".',
  throttle: 'Use "unique" with "period".',
  timeout: 'Use "timeout" of the job definition.',
  timestamp: 'Use "runAt", or leave it out: the database sets the time.',
  ttl: 'Use "timeout" of the job definition.',
};

/** Returns what to use instead of an option that does not exist here; undefined if that is not known. */
export function hintFor(option: string): string | undefined {
  return Object.hasOwn(HINTS, option) ? HINTS[option] : undefined;
}
