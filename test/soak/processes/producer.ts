/* The producer of the soak. */
import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../../support/connection-options.js';
import { waitFor } from '../../support/wait-for.js';
import { type Act, soakActs } from '../load/acts.js';
import { SUBSCRIPTIONS, ratedJob, tickJob } from '../load/jobs.js';
import { runInside } from './inside.js';

/** How often it looks whether it is behind, in ms. */
const BEAT = 20;
/** How many things it does at a time. TypeORM has one connection for SQLite, and so one transaction. */
const AT_ONCE = { server: 20, sqlite: 1 } as const;

await runInside(async ({ engine, url, rate }) => {
  const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
  const queue = new TableQueue(dataSource);
  await queue.control.limit('limited', { concurrency: 3, rate: { jobs: Math.ceil(rate / 2), per: '1s' } });
  await queue.control.limit(ratedJob.queue, { ratePerTenant: { jobs: 2, per: '1s' } });
  await queue.recurring.set('often', tickJob, undefined, { every: '2s' });
  await queue.recurring.set('each-minute', tickJob, undefined, { cron: '* * * * *', overlap: false });

  // An event is for the subscriptions that are registered when it is fanned out: the workers start at the same time.
  await waitFor('the subscriptions are registered', async () => {
    return (await queue.subscriptions.list()).subscriptions.length === SUBSCRIPTIONS.length;
  });

  const counts = { stored: 0, clashes: 0, cancelled: 0, errors: 0 };
  const acts = soakActs(queue, counts);
  const underWay = new Set<Promise<void>>();
  const begin = (act: Act, number: number) => {
    // Each in an asynchronous context of its own, as requests are: none begins its transaction in that of all.
    const done = new AsyncResource('act')
      .runInAsyncScope(() => act.run(number))
      .catch((error: unknown) => {
        counts.errors++;
        console.error(error);
      })
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };

  const ending = new AbortController();
  const produce = async () => {
    const atOnce = engine === 'sqlite' ? AT_ONCE.sqlite : AT_ONCE.server;
    const since = performance.now();
    for (let jobs = 0, number = 0; !ending.signal.aborted; await sleep(BEAT)) {
      // What a slow moment has kept it from is made good afterwards: the rate is that of the whole.
      while (jobs < (rate * (performance.now() - since)) / 1000 && !ending.signal.aborted) {
        const act = drawn(acts);
        begin(act, number++);
        jobs += act.jobs;
        if (underWay.size >= atOnce) {
          await Promise.race(underWay);
        }
      }
    }
    await Promise.all(underWay);
  };
  const produced = produce();
  const quiet = async () => {
    ending.abort();
    await produced;
    await queue.recurring.remove('often');
    await queue.recurring.remove('each-minute');
  };
  return { counts, quiet, stop: () => dataSource.destroy() };
});

function drawn(acts: readonly Act[]): Act {
  let rest = Math.random() * acts.reduce((sum, { weight }) => sum + weight, 0);
  return acts.find(({ weight }) => (rest -= weight) < 0) ?? acts[0]!;
}
