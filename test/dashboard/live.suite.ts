import 'reflect-metadata';

import type { Server } from 'node:http';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Overview } from '@tablequeue/dashboard';
import { defineJob } from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';
import { DashboardApplication, PLATFORMS, type Platform } from '../support/dashboard.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { EventStream } from '../support/event-stream.js';
import { statementsOf } from '../support/statements.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });
const PAGES = 100;

/**
 * Tests the stream of overviews on one engine. Each engine has its own file, because @nestjs/typeorm keeps the entities
 * of all applications of a process by the names of their data sources.
 */
export function liveSuite(engine: Engine): void {
  let database: TestDatabase;
  let running: DashboardApplication;
  let streams: EventStream[];
  beforeEach(async () => {
    database = await createDatabase(engine);
    streams = [];
  });
  afterEach(async () => {
    streams.forEach((stream) => stream.close());
    // Fetch leaves connections open without a request. Node does not count them as idle, and Fastify waits 72 s for
    // them.
    (running.app.getHttpServer() as Server).closeAllConnections();
    await running.close();
    await database.drop();
  });

  const start = async (platform: Platform): Promise<void> => {
    running = await DashboardApplication.start(database, { platform });
  };
  const open = async (): Promise<EventStream> => {
    const stream = await EventStream.open(`${running.url}/queues/api/live`);
    streams.push(stream);
    return stream;
  };
  const next = async (stream: EventStream): Promise<Overview> => {
    const event = await stream.next();
    expect(event?.event).toBe('overview');
    return event?.data as Overview;
  };

  test.each(PLATFORMS)('the stream sends the overview of the API, and follows changes [%s]', async (platform) => {
    await start(platform);
    const stream = await open();
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store, no-transform');
    // A read is shared for a second.
    const [first, requested] = await waitFor('the stream and the API return the same read', async () => {
      const streamed = await next(stream);
      const response = await running.read<Overview>('overview');
      return response.takenAt === streamed.takenAt && ([streamed, response] as const);
    });
    expect(first).toMatchObject({ queueCount: 0, throughput: 0 });
    expect(requested).toEqual(first);
    await running.queue().enqueue(mail);
    const changed = await waitFor('the stream shows the job', async () => {
      const overview = await next(stream);
      return overview.queueCount > 0 && overview;
    });
    expect(changed).toMatchObject({ queueCount: 1, totals: { ready: { count: 1, isCapped: false } } });
    expect(changed.takenAt).toBeGreaterThan(first.takenAt);
  });

  test.each(PLATFORMS)(
    'a hundred pages cost the database as much as one, and no page costs nothing [%s]',
    async (platform) => {
      await start(platform);
      const queue = running.queue();
      const perRead = (await statementsOf(queue, () => running.read('overview'))).length;
      expect(perRead).toBeGreaterThan(3);
      await Promise.all(Array.from({ length: PAGES }, open));
      await Promise.all(streams.map(next));
      const since = performance.now();
      const statements = await statementsOf(queue, async () => {
        // These requests share the reads.
        await Promise.all(Array.from({ length: PAGES }, () => running.get('overview')));
        await Promise.all(
          streams.map(async (stream) => {
            await next(stream);
            await next(stream);
          }),
        );
      });
      const seconds = (performance.now() - since) / 1_000;
      expect(statements.length).toBeGreaterThan(0);
      // One read a second; one more may have started before, and one after.
      expect(statements.length).toBeLessThanOrEqual((seconds + 2) * perRead);

      streams.splice(0).forEach((stream) => stream.close());
      let isQuiet = false;
      await waitFor('no page reads any more', async () => {
        // Longer than two intervals.
        const late = await statementsOf(queue, () => waitFor('a while', later(2_500)));
        isQuiet = late.length === 0;
        return isQuiet;
      });
      expect(isQuiet).toBe(true);
    },
  );

  test.each(PLATFORMS)('open streams do not keep the application from stopping [%s]', async (platform) => {
    await start(platform);
    const opened = await Promise.all(Array.from({ length: 5 }, open));
    await Promise.all(opened.map(next));
    const ends = opened.map(async (stream) => {
      while (await stream.next());
    });
    await running.close();
    await Promise.all(ends);
  });
}

/** Returns true after a while, to wait for nothing to happen. */
function later(ms: number): () => boolean {
  const since = performance.now();
  return () => performance.now() - since > ms;
}
