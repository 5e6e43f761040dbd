import { route } from '../../api/route.js';
import type { QueueRow } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { QUEUE, QUEUE_PROBLEMS, type QueueParams, changeQueue } from './queue-change.js';

export const pauseQueue = route<QueueRow, QueueParams>({
  name: 'pauseQueue',
  method: 'POST',
  path: 'queues/:queue/pause',
  summary: 'Pause a queue everywhere',
  params: QUEUE,
  answer: ref('QueueRow'),
  problems: QUEUE_PROBLEMS,
  run: ({ database, params: { queue }, caller }) =>
    changeQueue(database, queue, () => database.queue.control.pause(queue, { by: caller.name })),
});
