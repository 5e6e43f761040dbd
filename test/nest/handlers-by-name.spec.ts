import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DuplicateDefinitionError, QueueHandler, Recurring, UnknownJobDefinitionError } from '@tablequeue/nestjs';
import {
  type BatchJob,
  InvalidNameError,
  InvalidOptionError,
  type JobContext,
  type TransactionalJobContext,
  defineJob,
} from '@tablequeue/typeorm';

import { type Mail, report, resultOf, send, useMailApplications } from './mail-application.fixture.js';

const { start, failure } = useMailApplications();

describe('handlers by the name of their job', () => {
  test('use the definition of the module, in each way to pass it', async () => {
    const [transact, batch, recur] = ['transact', 'batch', 'recur'].map((name) => defineJob<Mail>(`mail.${name}`));
    @Injectable()
    class Named {
      readonly recurred: string[] = [];

      @QueueHandler<Mail>('mail.send')
      send({ to }: Mail, job: JobContext): string {
        return `${to} in ${job.queue}`;
      }

      @QueueHandler<Mail>('mail.transact', { transactional: true })
      transact({ to }: Mail, { manager }: TransactionalJobContext): string {
        return `${to} ${manager.queryRunner?.isTransactionActive}`;
      }

      @QueueHandler<Mail>('mail.batch', { batch: true })
      batch(jobs: readonly BatchJob<Mail>[]): void {
        jobs.forEach(({ payload, succeed }) => succeed(`${payload.to} in a batch`));
      }

      @Recurring({ every: '1d', payload: { to: 'all' } })
      @QueueHandler<Mail>('mail.recur')
      recur({ to }: Mail): string {
        return `${to} again`;
      }
    }
    const queue = await start({ providers: [Named], queue: { definitions: [send, transact!, batch!, recur!] } });
    expect(await resultOf(queue)).toBe('Ada in mail');
    expect(await resultOf(queue, transact)).toBe('Ada true');
    expect(await resultOf(queue, batch)).toBe('Ada in a batch');
    expect(await resultOf(queue, recur)).toBe('Ada again');
    expect(await queue.recurring.list()).toEqual([expect.objectContaining({ name: 'mail.recur', job: 'mail.recur' })]);
    await queue.recurring.remove('mail.recur');
  });

  test('stop the start if the module does not know the definition, or knows two', async () => {
    @Injectable()
    class Named {
      @QueueHandler('mail.send')
      send(): void {}
    }
    const none = await failure({ providers: [Named] });
    expect(none).toBeInstanceOf(UnknownJobDefinitionError);
    expect(none.message).toMatch(/^Named.send \(AppModule\) handles the job "mail.send".* It has none\. See /);
    const other = await failure({ providers: [Named], queue: { definitions: [report] } });
    expect(other.message).toMatch(/It has "mail.report"\. See /);
    const twice = await failure({ queue: { definitions: [send, defineJob('mail.send')] } });
    expect(twice).toBeInstanceOf(DuplicateDefinitionError);
    expect(twice.message).toContain('two definitions of the job "mail.send"');
    const wrong = await failure({ queue: { definitions: [send, undefined as never] } });
    expect(wrong).toBeInstanceOf(InvalidOptionError);
    expect(wrong.message).toContain('"definitions[1]" is undefined');
    expect(() => QueueHandler('no name')).not.toThrow();
    expect(() => QueueHandler('no name')(Named.prototype, 'send', {})).toThrow(InvalidNameError);
  });

  test('a method that does not match the type argument is a compile error', () => {
    class Wrong {
      // @ts-expect-error -- a payload without a declared type
      @QueueHandler('mail.send')
      untold(_payload: Mail): void {}

      // @ts-expect-error -- another payload
      @QueueHandler<Mail>('mail.send')
      other(_payload: { id: number }): void {}

      // @ts-expect-error -- no transaction was asked for
      @QueueHandler<Mail>('mail.send')
      transactional(_payload: Mail, _job: TransactionalJobContext): void {}

      @QueueHandler('mail.send')
      unknown(_payload: unknown, _job: JobContext): void {}
    }
    expect(Wrong).toBeDefined();
  });
});
