import 'reflect-metadata';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { InvalidOptionError, TableQueue, defineJob } from '@tablequeue/typeorm';

import { describeEach } from '../support/each-engine.js';
import { startNestApp } from '../support/nest-app.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const mail = defineJob('mail', { queue: 'mail' });
const other = defineJob('other', { queue: 'other' });

class Handlers {
  @QueueHandler(other)
  run(): void {}
}

// @nestjs/typeorm keeps its automatically loaded entities for the whole process: one engine to a file.
describeEach(
  'alerts of forRoot',
  (engine) => {
    const database = useDatabase(engine);
    let receiver: WebhookReceiver;
    let app: INestApplication | undefined;
    beforeAll(async () => {
      receiver = await WebhookReceiver.start();
    });
    afterAll(async () => {
      await app?.close();
      await receiver.stop();
    });
    const start = (url: string) =>
      startNestApp(database, {
        queue: {
          alerts: { webhooks: { own: { url } }, rules: { paused: { kinds: ['paused-queues'] } }, interval: '100ms' },
        },
        providers: [Handlers],
      });

    test('are sent by an application with handlers; a wrong option is refused at the start', async () => {
      await expect(start('hooks.example.org')).rejects.toThrow(InvalidOptionError);
      app = await start(receiver.url);
      const queue = app.get(TableQueue);
      await queue.control.pause('mail');
      await queue.enqueue(mail);
      await waitFor('it is sent', () => receiver.requests.length === 1);
      expect(receiver.messages[0]).toMatchObject({ opened: [{ rule: 'paused', examples: ['mail'] }] });
    });
  },
  ['sqlite'],
);
