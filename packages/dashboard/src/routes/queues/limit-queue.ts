import { route } from '../../api/route.js';
import type { QueueLimits, QueueRow } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { QUEUE, QUEUE_PROBLEMS, type QueueParams, changeQueue } from './queue-change.js';

export const limitQueue = route<QueueRow, QueueParams & { readonly body: QueueLimits }>({
  name: 'limitQueue',
  method: 'PUT',
  path: 'queues/:queue/limits',
  summary: 'Set the limits of a queue, instead of those it had',
  params: QUEUE,
  body: ref('QueueLimits'),
  answer: ref('QueueRow'),
  problems: QUEUE_PROBLEMS,
  run: ({ database, params: { queue }, body: { concurrency, rate, perTenant }, caller }) => {
    const limits = {
      ...(concurrency !== null && { concurrency }),
      ...(rate !== null && { rate }),
      ...(perTenant !== null && { concurrencyPerTenant: perTenant }),
    };
    return changeQueue(database, queue, () => database.queue.control.limit(queue, limits, { by: caller.name }));
  },
});
