/* A Nest application with an open dashboard: its requests, and the stream of an open page. */
import 'reflect-metadata';

import { setTimeout as sleep } from 'node:timers/promises';

import { connectionOptions } from '../../support/connection-options.js';
import { DashboardApplication } from '../../support/dashboard.js';
import { EventStream } from '../../support/event-stream.js';
import { runInside } from './inside.js';

/** How long between two looks, in ms. */
const BETWEEN = 2_000;
/** How many looks a page stays open. */
const LOOKS = 5;
const PATHS = [
  'overview',
  'queues',
  'series?span=hour',
  'workers',
  'schedules',
  'audit',
  'jobs?state=ready&limit=50',
  'jobs?state=failed&limit=50',
];

await runInside(async ({ engine, url }) => {
  const options = (extra: object = {}) => ({ ...connectionOptions(engine, url), ...extra });
  const application = await DashboardApplication.start({ engine, options }, { queue: { role: 'producer' } });
  const counts = { answers: 0, events: 0, errors: 0 };
  const ending = new AbortController();

  const look = async (path: string) => {
    const response = await fetch(`${application.url}/queues/api/${path}`);
    const body = await response.text();
    if (response.status !== 200) {
      throw new Error(`${path}: ${response.status} ${body}`);
    }
    counts.answers++;
  };
  const visit = async () => {
    const stream = await EventStream.open(`${application.url}/queues/api/live`);
    const events = (async () => {
      while (await stream.next()) {
        counts.events++;
      }
    })().catch(() => undefined);
    try {
      for (let looks = 0; looks < LOOKS && !ending.signal.aborted; looks++) {
        await Promise.all(PATHS.map(look));
        await sleep(BETWEEN);
      }
    } finally {
      stream.close();
      await events;
    }
  };
  const visits = (async () => {
    while (!ending.signal.aborted) {
      await visit().catch((error: unknown) => {
        counts.errors++;
        console.error(error);
      });
    }
  })();
  const quiet = async () => {
    ending.abort();
    await visits;
  };
  return { counts, quiet, stop: () => application.close() };
});
