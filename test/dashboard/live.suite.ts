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
 * The overview as it comes, on one engine. In a file of its own for each: @nestjs/typeorm keeps the entities of all applications
 * of a process, by the names of their data sources.
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
    // Fetch opens connections that it then sends nothing on: Node does not count them as idle, and Fastify waits for 72 s.
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

  test.each(PLATFORMS)('is what is asked for too, and follows what happens [%s]', async (platform) => {
    await start(platform);
    const stream = await open();
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store, no-transform');
    // A reading is told for a second.
    const [first, asked] = await waitFor('one reading is told and asked for', async () => {
      const told = await next(stream);
      const answer = await running.read<Overview>('overview');
      return answer.takenAt === told.takenAt && ([told, answer] as const);
    });
    expect(first.queues).toEqual([]);
    expect(asked).toEqual(first);
    await running.queue().enqueue(mail);
    const changed = await waitFor('the job is told of', async () => {
      const overview = await next(stream);
      return overview.queues.length > 0 && overview;
    });
    expect(changed.queues).toMatchObject([{ queue: 'mail', counts: { ready: { count: 1, isCapped: false } } }]);
    expect(changed.takenAt).toBeGreaterThan(first.takenAt);
  });

  test.each(PLATFORMS)(
    'costs the database the same for a hundred pages as for one, and nothing for none [%s]',
    async (platform) => {
      await start(platform);
      const queue = running.queue();
      const perReading = (await statementsOf(queue, () => running.read('overview'))).length;
      expect(perReading).toBeGreaterThan(3);
      await Promise.all(Array.from({ length: PAGES }, open));
      await Promise.all(streams.map(next));
      const since = performance.now();
      const statements = await statementsOf(queue, async () => {
        // Who asks meanwhile gets what there is.
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
      // One reading a second; another may have begun before, and one after.
      expect(statements.length).toBeLessThanOrEqual((seconds + 2) * perReading);

      streams.splice(0).forEach((stream) => stream.close());
      let isQuiet = false;
      await waitFor('nobody reads any more', async () => {
        // Longer than two intervals.
        const late = await statementsOf(queue, () => waitFor('a while', later(2_500)));
        isQuiet = late.length === 0;
        return isQuiet;
      });
      expect(isQuiet).toBe(true);
    },
  );

  test.each(PLATFORMS)('does not keep the application from ending [%s]', async (platform) => {
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

/** True after a while: what is waited for is that nothing happens. */
function later(ms: number): () => boolean {
  const since = performance.now();
  return () => performance.now() - since > ms;
}
