/* A producer of the bench, which also works on a queue of its own. */
import { TableQueueWorker } from '@tablequeue/typeorm';

import { Random } from '../random.js';
import { ownJob } from '../workload/definitions.js';
import { noteEvents, notedHandler } from '../workload/handlers.js';
import { Load } from '../workload/load.js';
import { runInside } from './inside.js';

/** So rarely does it look for jobs by itself, in ms: those it enqueues it has to be told of. */
const OWN_POLL_INTERVAL = 20_000;

await runInside(async ({ config, journal, dataSource, queue }) => {
  const worker = new TableQueueWorker(queue, [notedHandler(ownJob(config.slot), journal)], {
    lease: config.lease,
    pollInterval: OWN_POLL_INTERVAL,
    maintenance: false,
    shutdownTimeout: '10s',
  });
  noteEvents(worker, journal);
  await worker.start();
  const load = new Load({ config, journal, dataSource, queue, random: new Random(config.seed) });
  load.start();
  return { produced: load.done, produceNoMore: () => load.end(), stop: () => worker.stop() };
});
