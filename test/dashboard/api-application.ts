import 'reflect-metadata';

import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import type { BulkOperation, BulkPage } from '@tablequeue/dashboard';
import { QueueHandler } from '@tablequeue/nestjs';
import { type DurableJobContext, type JobContext, child, defineJob, fixed } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { DashboardApplication } from '../support/dashboard.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

export const mail = defineJob<{ to: string; card?: string }>('mail.send', { queue: 'mail' });
export const broken = defineJob<number>('broken', { queue: 'work', retry: { attempts: 1 } });
export const unlucky = defineJob<number>('unlucky', { queue: 'work', retry: { attempts: 2, backoff: fixed('1h') } });
export const fine = defineJob<number>('fine', { queue: 'work' });
export const held = defineJob('held', { queue: 'work' });
export const durable = defineJob<number>('durable', { queue: 'work', retry: { attempts: 1 } });
export const report = defineJob('report', { queue: 'reports' });

/** The id of no job. */
export const UNKNOWN = '01900000-0000-7000-8000-000000000000';

/** Handles the queue `work`. The other queues have no handler. */
@Injectable()
class Handlers {
  @QueueHandler(broken)
  fail(number: number): never {
    throw new Error(`cannot do ${number}`);
  }

  @QueueHandler(unlucky)
  failOnce(number: number): never {
    throw new Error(`could not do ${number}`);
  }

  @QueueHandler(fine)
  succeed(number: number): { doubled: number } {
    return { doubled: number * 2 };
  }

  @QueueHandler(durable)
  async go(number: number, job: DurableJobContext): Promise<unknown> {
    await job.step('one', () => 1);
    const { data } = await job.waitForSignal('go');
    const result = await job.run('fine', child(fine, number));
    await job.step(
      'two',
      () => {
        if (data === 'fail') {
          throw new Error('cannot go on');
        }
      },
      { retry: { attempts: 1 } },
    );
    return result;
  }

  @QueueHandler(held)
  async hold(_payload: void, { signal }: JobContext): Promise<void> {
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
  }
}

/** An application with a dashboard for the tests of the API. Its tables are emptied before each test. */
export function useApi(engine: Engine) {
  let app: DashboardApplication;
  afterAll(() => app.close());
  const database = useDatabase(engine);
  beforeAll(async () => {
    app = await DashboardApplication.start(database, {
      platform: engine === 'mysql' ? 'fastify' : 'express',
      dashboard: {
        public: true,
        role: () => 'operator',
        who: () => 'ada',
        redact: async (payload, { name }) => (name === 'mail.send' ? { ...(payload as object), card: '…' } : payload),
      },
      providers: [Handlers],
    });
  });
  beforeEach(async () => {
    const { entityMetadatas } = app.app.get(DataSource);
    for (const { tableName } of entityMetadatas.filter((each) => each.tableName !== 'tq_worker')) {
      await app.app.get(DataSource).query(`DELETE FROM ${tableName}`);
    }
  });

  const stateOf = async (id: string) => (await app.queue().find(id))?.state;
  const until = (id: string, state: string) =>
    waitFor(`the job is ${state}`, async () => (await stateOf(id)) === state);
  const failedJob = async (number = 1): Promise<string> => {
    const { id } = await app.queue().enqueue(broken, number);
    await until(id, 'failed');
    return id;
  };

  return {
    get app() {
      return app;
    },
    get queue() {
      return app.queue();
    },
    stateOf,
    until,
    failedJob,
  };
}

export type Api = ReturnType<typeof useApi>;

/** Starts a bulk operation, and returns it at its end. */
export async function inBulk(api: Api, request: object): Promise<BulkOperation> {
  const { body } = await api.app.write('POST', 'jobs/bulk', request);
  return waitFor('the operation has ended', async () => {
    const { operations } = await api.app.read<BulkPage>('jobs/bulk');
    return operations.find(({ id, state }) => id === (body as BulkOperation).id && state !== 'running');
  });
}
