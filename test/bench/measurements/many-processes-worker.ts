/* One of the worker processes of `many-processes.ts`. */
import { once } from 'node:events';

import { openSubject } from '../client/open-subject.js';
import type { Task } from '../client/task.js';

const subject = await openSubject(JSON.parse(process.env.TASK ?? '') as Task);
let finished = 0;
process.send?.('ready');
await once(process, 'message');
const stop = await subject.work({
  started: () => undefined,
  finished: () => {
    if (finished++ === 0) {
      // Those of the same turn of the event loop in one message.
      setImmediate(() => {
        process.send?.(finished);
        finished = 0;
      });
    }
  },
});

process.once('SIGTERM', () => {
  void (async () => {
    await stop();
    await subject.close();
    process.exit();
  })();
});
