import { route } from '../../api/route.js';
import type { QueueRow } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { QUEUE, QUEUE_PROBLEMS, type QueueParams, changeQueue } from './queue-change.js';

export const resumeQueue = route<QueueRow, QueueParams>({
  name: 'resumeQueue',
  method: 'POST',
  path: 'queues/:queue/resume',
  summary: 'End the pause of a queue',
  params: QUEUE,
  answer: ref('QueueRow'),
  problems: QUEUE_PROBLEMS,
  run: ({ database, params: { queue }, caller }) =>
    changeQueue(database, queue, () => database.queue.control.resume(queue, { by: caller.name })),
});
