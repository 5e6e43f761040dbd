/* A producer, which also runs the jobs of a queue of its own. */
import { TableQueueWorker } from '@tablequeue/typeorm';

import { Random } from '../random.js';
import { ownJob } from '../workload/definitions.js';
import { recordEvents, recordingHandler } from '../workload/handlers.js';
import { Load } from '../workload/load.js';
import { runProcess } from './run-process.js';

/** Long, so that only the notice of an enqueue can start the producer's own jobs in time, in ms. */
const OWN_POLL_INTERVAL = 20_000;

await runProcess(async ({ config, journal, dataSource, queue }) => {
  const worker = new TableQueueWorker(queue, [recordingHandler(ownJob(config.slot), journal)], {
    lease: config.lease,
    pollInterval: OWN_POLL_INTERVAL,
    maintenance: false,
    shutdownTimeout: '10s',
  });
  recordEvents(worker, journal);
  await worker.start();
  const load = new Load({ config, journal, dataSource, queue, random: new Random(config.seed) });
  load.start();
  return { producing: load.done, stopProducing: () => load.stop(), stop: () => worker.stop() };
});
