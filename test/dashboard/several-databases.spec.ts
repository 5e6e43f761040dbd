import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import type { QueueNames } from '@tablequeue/dashboard';
import { defineJob } from '@tablequeue/typeorm';

import { DashboardApplication, PLATFORMS } from '../support/dashboard.js';
import { createDatabase } from '../support/database.js';

const mail = defineJob<{ to: string }>('mail.send', { queue: 'mail' });

describe.each(PLATFORMS)('several databases on %s', (platform) => {
  test('the parameter `database` selects one by name', async () => {
    const [one, other] = await Promise.all([createDatabase('sqlite'), createDatabase('sqlite')]);
    const app = await DashboardApplication.start(one, { platform, others: { reports: other } });
    try {
      expect(await app.read('me')).toMatchObject({ databases: ['default', 'reports'] });
      await app.queue('reports').enqueue(mail, { to: 'ada@example.com' });
      const queuesOf = async (query: string) => (await app.read<QueueNames>(`queue-names${query}`)).names;
      expect(await queuesOf('?database=reports')).toEqual(['mail']);
      expect(await queuesOf('')).toEqual([]);
      expect((await app.write('POST', 'queues/mail/pause')).status).toBe(404);
      expect((await app.write('POST', 'queues/mail/pause?database=reports')).status).toBe(200);
      expect(await app.queue('reports').control.list()).toMatchObject([{ queue: 'mail', pausedAt: expect.any(Date) }]);
      expect(await app.get('overview?database=archive')).toMatchObject({
        status: 404,
        body: { parameter: 'database', detail: expect.stringContaining('default, reports') },
      });
    } finally {
      await app.close();
      await Promise.all([one.drop(), other.drop()]);
    }
  });
});
