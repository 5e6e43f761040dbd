import { uuidFromBytes } from '../../definition/job-id.js';
import type { StallListener } from '../../maintenance/reaper/reaper.js';
import type { StalledJob } from '../../store/workers/return-abandoned-jobs.js';
import type { WorkerEventEmitter } from './worker-events.js';

/** Tells the listeners of a worker of the jobs its reaper frees. */
export class StallEvents implements StallListener {
  constructor(private readonly events: WorkerEventEmitter) {}

  get isListening(): boolean {
    return this.events.listenerCount('stalled') > 0;
  }

  onStalled({ id, queue, name, key, tenant, attempt, failures }: StalledJob): void {
    this.events.tell('stalled', {
      id: uuidFromBytes(id),
      name,
      queue,
      key: key ?? undefined,
      tenant: tenant ?? undefined,
      attempt,
      failures,
    });
  }
}
