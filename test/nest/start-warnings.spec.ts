import 'reflect-metadata';

import { beforeEach, describe, expect, test } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { OnQueueEvent, QueueHandler } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';

import { RecordingLogger } from '../support/recording-logger.js';
import { type Mail, Mailer, report, useMailApplications } from './mail-application.fixture.js';

const { start, app } = useMailApplications();
const logger = new RecordingLogger();
beforeEach(() => void logger.lines.splice(0));

const configure = (application: { useLogger(to: RecordingLogger): void }) => application.useLogger(logger);
const warnings = (text: string) => logger.lines.filter((line) => line.startsWith('warn ') && line.includes(text));

describe('the start warns', () => {
  class Elsewhere {
    @QueueHandler(report)
    report(_payload: Mail): void {}
  }
  test.each([
    ['is a producer', 'producer', 0],
    ['has no handlers at all', 'all', 1],
  ] as const)('or not, where the process %s', async (_what, role, count) => {
    await start({ queue: { role }, configure });
    expect(Elsewhere).toBeDefined();
    expect(warnings('The class Elsewhere')).toHaveLength(count);
  });

  test('of options for a queue that nothing uses, with the nearest name', async () => {
    const definitions = [defineJob('pdf', { queue: 'slow' })];
    await start({
      providers: [Mailer],
      queue: { definitions, queues: { mial: {}, mail: {}, slow: {}, other: {} } },
      configure,
    });
    expect(warnings('has no effect')).toEqual([
      expect.stringMatching(/"queues.mial" has no effect: .* Did you mean "mail"\?$/),
      expect.stringMatching(/"queues.other" has no effect: .* The queues are: mail, slow\.$/),
    ]);
  });

  test('of a listener of a queue that nothing uses', async () => {
    @Injectable()
    class Journal {
      @OnQueueEvent('failed', { queue: 'mial' })
      typo(): void {}

      @OnQueueEvent('failed', { queue: 'mail' })
      right(): void {}
    }
    await start({ providers: [Mailer, Journal], configure });
    expect(warnings('has no effect')).toEqual([
      expect.stringMatching(/The listener Journal.typo \(AppModule\) of queue "mial" .* Did you mean "mail"\?$/),
    ]);
  });

  test('of a class with handlers or listeners that no module lists', async () => {
    class Forgotten {
      @QueueHandler(report)
      report(_payload: Mail): void {}

      @OnQueueEvent('failed')
      failed(): void {}
    }
    abstract class Base {
      @QueueHandler(report)
      report(_payload: Mail): void {}
    }
    @Injectable()
    class Listed extends Base {}
    @Module({ providers: [Listed] })
    class Feature {}
    await start({ imports: [Feature], configure });
    expect(Forgotten).toBeDefined();
    expect(warnings('The class Forgotten')).toEqual([
      expect.stringMatching(/report handles "mail.report", failed listens to "failed"\. List it in "providers"/),
    ]);
    expect([...warnings('The class Base'), ...warnings('The class Listed')]).toEqual([]);
  });
});

test('a call of queue.control warns of a name like that of a queue of this process', async () => {
  await start({ providers: [Mailer], configure });
  const { control } = app().get(TableQueue);
  await control.limit('mial', { concurrency: 2 });
  await control.limit('mail', { concurrency: 2 });
  await control.pause('mial');
  await control.pause('invoices-of-another-application');
  expect(warnings('control.')).toEqual([
    expect.stringContaining('control.limit("mial"): no definition uses this queue. Did you mean "mail"?'),
    expect.stringContaining('control.pause("mial"): no definition uses this queue. Did you mean "mail"?'),
  ]);
});
