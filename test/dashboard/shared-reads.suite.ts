import 'reflect-metadata';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JobDetail, JobPage, KeyedCounts, Overview, Role, SchedulePage } from '@tablequeue/dashboard';
import { type TableQueue, defineJob } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { DashboardApplication, PLATFORMS } from '../support/dashboard.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { statementsOf } from '../support/statements.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob<{ to: string }>('mail', { queue: 'mail' });
const PAGES = 100;

/**
 * Tests the load of many pages on one engine. Each engine has its own file, because @nestjs/typeorm keeps the entities
 * of all applications of a process by the names of their data sources.
 */
export function sharedReadsSuite(engine: Engine): void {
  let database: TestDatabase;
  let app: DashboardApplication;
  let queue: TableQueue;
  let id: string;
  /** Requests that were allowed and are about to read. */
  let started: number;
  let redacted: number;

  const start = async (platform: (typeof PLATFORMS)[number]): Promise<void> => {
    app = await DashboardApplication.start(database, {
      platform,
      // So that only the dashboard sends statements.
      queue: { role: 'producer' },
      dashboard: {
        public: true,
        role: ({ headers }: { headers: Record<string, string> }) => {
          started++;
          return (headers['x-role'] as Role | undefined) ?? 'operator';
        },
        redact: (value) => {
          redacted++;
          return value;
        },
      },
    });
    queue = app.queue();
    ({ id } = await queue.enqueue(mail, { to: 'ada' }, { key: 'order:1', delay: '1h' }));
    await queue.recurring.set('nightly', mail, { to: 'ada' }, { cron: '0 3 * * *' });
  };
  beforeEach(async () => {
    database = await createDatabase(engine);
    started = 0;
    redacted = 0;
  });
  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  /** Sends requests in parallel. None gets a response before all have started to read. */
  const readTogether = async (paths: readonly string[], role: (index: number) => Role = () => 'operator') => {
    const { engine: own } = queue;
    const before = started;
    const original = own.execute.bind(own);
    own.execute = async (...call) => {
      await waitFor('all requests are about to read', () => started - before >= paths.length);
      return original(...call);
    };
    const connections = countConnections(app.app.get(DataSource));
    try {
      let answers: [number, unknown][] = [];
      const statements = await statementsOf(queue, async () => {
        answers = await Promise.all(
          paths.map(async (path, index) => {
            const response = await fetch(`${app.url}/queues/api/${path}`, { headers: { 'x-role': role(index) } });
            return [response.status, await response.json()] as [number, unknown];
          }),
        );
      });
      return { statements: statements.length, connections: connections.stop(), answers };
    } finally {
      own.execute = original;
    }
  };
  /** Sends a change that matches no job, so that everything is read again. */
  const invalidate = () =>
    app.write('POST', 'jobs/bulk', { action: 'run-now', filter: { state: 'scheduled', key: 'none' } });

  describe.each(PLATFORMS)('on %s', (platform) => {
    test('a hundred pages that show the same cost the database as much as one', async () => {
      await start(platform);
      const paths = [
        'series?span=hour',
        'series?span=day&queue=mail',
        'workers',
        'schedules',
        'jobs?state=scheduled',
        'jobs?state=failed&error=x&limit=10',
        'jobs/states?key=order:1',
        'jobs/search?text=order:1',
        `jobs/${id}`,
        `jobs/${id}/graph`,
        'audit',
        'doctor',
      ];
      for (const path of paths) {
        await invalidate();
        const one = await readTogether([path]);
        await invalidate();
        const all = await readTogether(Array<string>(PAGES).fill(path));
        expect([path, all.answers.filter(([status]) => status !== 200)]).toEqual([path, []]);
        expect([path, one.statements]).toEqual([path, expect.any(Number)]);
        expect(one.statements).toBeGreaterThan(0);
        const { statements, connections } = all;
        expect([path, statements, connections]).toEqual([path, one.statements, one.connections]);
      }
    });

    test('different requests read separately, and `redact` and `role` run for each request', async () => {
      await start(platform);
      const both = await readTogether(['jobs?state=scheduled', 'jobs?state=scheduled&limit=1']);
      await invalidate();
      const one = await readTogether(['jobs?state=scheduled']);
      expect(both.statements).toBe(2 * one.statements);
      const paths = [
        [`jobs/${id}`, 3],
        ['jobs?state=scheduled', 4],
      ] as const;
      for (const [path, actions] of paths) {
        await invalidate();
        const alone = await readTogether([path]);
        await invalidate();
        const all = await readTogether([path, path, path], (index) => (index === 1 ? 'reader' : 'operator'));
        expect([path, all.statements]).toEqual([path, alone.statements]);
        expect(all.answers.map(([, body]) => (body as JobDetail).actions.length)).toEqual([actions, 0, actions]);
      }
      expect(redacted).toBe(4);
    });

    test('after a change the new state is shown', async () => {
      await start(platform);
      const seen = async () => {
        const { actions: _actions, state } = await app.read<JobDetail>(`jobs/${id}`);
        const { jobs } = await app.read<JobPage>('jobs?state=scheduled');
        const { scheduled } = await app.read<KeyedCounts>('jobs/states?key=order:1');
        const { totals } = await app.read<Overview>('overview');
        const [schedule] = (await app.read<SchedulePage>('schedules')).schedules;
        return [state, jobs.length, scheduled.count, totals.scheduled.count, schedule?.pausedAt !== null];
      };
      expect(await seen()).toEqual(['scheduled', 1, 1, 1, false]);
      await app.write('POST', 'schedules/nightly/pause');
      expect(await seen()).toEqual(['scheduled', 1, 1, 1, true]);
      await app.write('POST', `jobs/${id}/cancel`);
      expect(await seen()).toEqual(['cancelled', 0, 0, 0, true]);
    });

    test('a read that started before a change is not shown after it', async () => {
      await start(platform);
      const { engine: own } = queue;
      const original = own.execute.bind(own);
      let hasRead = false;
      let isHeld = true;
      own.execute = async (...call) => {
        const result = await original(...call);
        hasRead = true;
        await waitFor('the change is done', () => !isHeld);
        return result;
      };
      const early = app.read<JobDetail>(`jobs/${id}`);
      await waitFor('the job is read', () => hasRead);
      own.execute = original;
      await app.write('POST', `jobs/${id}/cancel`);
      expect(await app.read<JobDetail>(`jobs/${id}`)).toMatchObject({ state: 'cancelled' });
      isHeld = false;
      await early;
    });
  });

  test('an error is not shared with later requests', async () => {
    await start('express');
    const { engine: own } = queue;
    const original = own.execute.bind(own);
    let failures = 0;
    own.execute = async () => {
      failures++;
      throw new Error('gone');
    };
    expect((await fetch(`${app.url}/queues/api/jobs/${id}`)).status).toBe(500);
    expect(failures).toBe(1);
    own.execute = original;
    expect((await app.read<JobDetail>(`jobs/${id}`)).id).toBe(id);
  });
}

/** Counts the connections that are requested meanwhile. The doctor uses its own. */
function countConnections(dataSource: DataSource): { stop(): number } {
  const original = dataSource.createQueryRunner.bind(dataSource);
  let count = 0;
  dataSource.createQueryRunner = (...mode) => {
    count++;
    return original(...mode);
  };
  return {
    stop: () => {
      dataSource.createQueryRunner = original;
      return count;
    },
  };
}
