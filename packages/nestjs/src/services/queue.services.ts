import { QueueEvents } from '../events/queue.events.js';
import { ScheduledService } from './scheduled.service.js';

/** Deletes finished jobs after their retention, at an interval. */
export class QueuePruner extends ScheduledService<'pruner'> {
  protected override readonly task = 'pruner';
}

/** Frees the jobs of dead workers, at an interval. */
export class QueueReaper extends ScheduledService<'reaper'> {
  protected override readonly task = 'reaper';
}

/** Makes retries and delayed jobs ready when they are due, at an interval. */
export class QueueRetrier extends ScheduledService<'retrier'> {
  protected override readonly task = 'retrier';
}

/** Enqueues the jobs of schedules when they are due. Reads the schedules of other processes at an interval. */
export class QueueScheduler extends ScheduledService<'scheduler'> {
  protected override readonly task = 'scheduler';
}

/** The scheduled services of a queue: each module has one of each kind. */
export const SCHEDULED = [QueueReaper, QueueRetrier, QueuePruner, QueueScheduler] as const;

/** What a module provides beside its queue, each under a token for its data source. */
export const QUEUE_SERVICES = [...SCHEDULED, QueueEvents] as const;
