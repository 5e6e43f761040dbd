import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DashboardModule, type JobDetail, type JobLog } from '@tablequeue/dashboard';
import { QueueHandler } from '@tablequeue/nestjs';
import { type JobContext, defineJob } from '@tablequeue/typeorm';

import { type DashboardApplication, PLATFORMS } from '../support/dashboard.js';
import { oneDashboard } from '../support/one-dashboard.js';
import { waitFor } from '../support/wait-for.js';

const logging = defineJob<{ card: string }>('logging', { queue: 'logging' });

@Injectable()
class Handlers {
  @QueueHandler(logging)
  log({ card }: { card: string }, { log }: JobContext): { paid: string } {
    log.info(`card ${card}`, { card });
    return { paid: card };
  }
}

/** What each dashboard shows of a job and its log. All have the same queue. */
const SHOWN = {
  queues: { payload: { card: '4242' }, isHidden: false, lines: [{ message: 'card 4242', fields: { card: '4242' } }] },
  hidden: { payload: null, isHidden: true, lines: [] },
  redacted: { payload: '…', isHidden: false, lines: [{ message: '…', fields: null }] },
};
type Name = keyof typeof SHOWN;

const startDashboard = oneDashboard();

describe.each(PLATFORMS)('several dashboards of a queue on %s', (platform) => {
  const start = async (): Promise<{ app: DashboardApplication; id: string }> => {
    const app = await startDashboard({
      platform,
      providers: [Handlers],
      imports: [
        DashboardModule.forRoot({ path: '/hidden', public: true, payloads: 'hidden' }),
        DashboardModule.forRoot({ path: '/redacted', public: true, redact: () => '…' }),
      ],
    });
    const { id } = await app.queue().enqueue(logging, { card: '4242' });
    await waitFor('the job has run', async () => (await app.queue().find(id))?.state === 'succeeded');
    return { app, id };
  };

  test.each([
    [['queues', 'hidden', 'redacted']],
    [['hidden', 'redacted', 'queues']],
    [['redacted', 'queues', 'hidden']],
  ] as [Name[]][])('each applies its own options to what all read: %j', async (order) => {
    const { app, id } = await start();
    // All read within the second for which a read is shared.
    const shown = [];
    for (const name of order) {
      const read = async <T>(path: string) => (await (await fetch(`${app.url}/${name}/api/${path}`)).json()) as T;
      const { lines, isHidden } = await read<JobLog>(`jobs/${id}/log`);
      const { payload } = await read<JobDetail>(`jobs/${id}`);
      shown.push({ payload, isHidden, lines: lines.map(({ message, fields }) => ({ message, fields })) });
    }
    expect(shown).toEqual(order.map((name) => SHOWN[name]));
  });

  test('one that hides logs does not read them', async () => {
    const { app, id } = await start();
    const { jobs } = app.queue();
    jobs.logs = () => Promise.reject(new Error('read'));
    const hidden = await fetch(`${app.url}/hidden/api/jobs/${id}/log`);
    expect(await hidden.json()).toEqual({ lines: [], isHidden: true });
    expect((await app.get(`jobs/${id}/log`)).status).toBe(500);
  });
});
