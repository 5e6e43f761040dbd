import { QueuePruner } from './queue.pruner.js';
import { QueueReaper } from './queue.reaper.js';
import { QueueRetrier } from './queue.retrier.js';
import { QueueScheduler } from './queue.scheduler.js';

/** The scheduled services of a queue: each module has one of each kind. */
export const QUEUE_SERVICES = [QueueReaper, QueueRetrier, QueuePruner, QueueScheduler] as const;

/** The class of a scheduled service. */
export type QueueService = (typeof QUEUE_SERVICES)[number];
