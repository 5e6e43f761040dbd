import { QueueEvents } from '../events/queue.events.js';
import { QueuePruner } from './queue.pruner.js';
import { QueueReaper } from './queue.reaper.js';
import { QueueRetrier } from './queue.retrier.js';
import { QueueScheduler } from './queue.scheduler.js';

/** The scheduled services of a queue: each module has one of each kind. */
export const SCHEDULED = [QueueReaper, QueueRetrier, QueuePruner, QueueScheduler] as const;

/** What a module provides beside its queue, each under a token for its data source. */
export const QUEUE_SERVICES = [...SCHEDULED, QueueEvents] as const;

/** The class of one of these. */
export type QueueService = (typeof QUEUE_SERVICES)[number];
