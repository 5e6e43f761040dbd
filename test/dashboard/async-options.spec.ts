import 'reflect-metadata';

import { expect, test } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { DashboardModule, type DashboardOptions } from '@tablequeue/dashboard';
import { defineJob } from '@tablequeue/typeorm';

import { oneDashboard } from '../support/one-dashboard.js';

const mail = defineJob<{ to: string }>('mail', { queue: 'mail' });

@Injectable()
class Settings {
  readonly operator = 'ada';
}

@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

@Injectable()
class Factory {
  constructor(private readonly settings: Settings) {}

  createDashboardOptions(): DashboardOptions {
    return { payloads: 'hidden', role: () => 'operator', who: () => this.settings.operator };
  }
}

const startDashboard = oneDashboard();

const beside = { path: '/admin/jobs', public: true as const, imports: [SettingsModule] };

test.each([
  [
    'useFactory, which may be asynchronous',
    DashboardModule.forRootAsync({
      ...beside,
      inject: [Settings],
      useFactory: async (settings: Settings) => new Factory(await Promise.resolve(settings)).createDashboardOptions(),
    }),
  ],
  ['useClass', DashboardModule.forRootAsync({ ...beside, useClass: Factory })],
])('options come from %s', async (_way, module) => {
  const running = await startDashboard({ dashboard: module });
  const { id } = await running.queue().enqueue(mail, { to: 'ada@example.com' });
  const read = async (path: string): Promise<unknown> => (await fetch(`${running.url}/admin/jobs/api/${path}`)).json();
  expect(await read('me')).toMatchObject({ name: 'ada', role: 'operator' });
  expect(await read(`jobs/${id}`)).toMatchObject({ payload: null, isRedacted: true });
});

test.each([
  [{ role: 'operator' }, 'The option "role"'],
  [{ payload: 'hidden' }, 'There is no option "payload"'],
  [{ path: '/queues' }, 'There is no option "path"'],
])('invalid options from a factory stop the start: %j', async (options, message) => {
  const module = DashboardModule.forRootAsync({ public: true, useFactory: () => options as DashboardOptions });
  await expect(startDashboard({ dashboard: module })).rejects.toThrow(message);
});
