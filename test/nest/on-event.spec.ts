import 'reflect-metadata';

import { afterEach, describe, expect, test } from '@jest/globals';
import { type ExecutionContext, type INestApplication, Injectable, UseGuards } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OnEvent, QueueExecutionContext, QueueHandler, RepeatedQueueHandlerError } from '@tablequeue/nestjs';
import { TableQueueTestingModule, testingQueue } from '@tablequeue/nestjs/testing';
import {
  type EventPayload,
  InvalidOptionError,
  type JobContext,
  SubscriptionOptionError,
  TableQueue,
  TableQueueJob,
  type TransactionalJobContext,
  WildcardEventError,
  defineEvent,
  defineJob,
} from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { startNestApp } from '../support/nest-app.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const orderPaid = defineEvent<{ orderId: number }>('order.paid');
const orderRefunded = defineEvent<{ orderId: number }>('order.refunded');

const seen: string[] = [];
const guard = {
  canActivate: (context: ExecutionContext) => {
    seen.push(`guard of ${QueueExecutionContext.create(context).getJob().name}`);
    return true;
  },
};

@Injectable()
class Mailer {
  @OnEvent(orderPaid, { subscription: 'mailing', queue: 'mail', retry: { attempts: 2, backoff: () => 0 } })
  @UseGuards(guard)
  sendReceipt({ orderId }: EventPayload<typeof orderPaid>, job: JobContext): void {
    seen.push(`mail ${orderId}, attempt ${job.attempt}`);
    if (job.attempt === 1) {
      throw new Error('not yet');
    }
  }
}

@Injectable()
class Books {
  @OnEvent(orderPaid, { subscription: 'books', transactional: true })
  async book({ orderId }: { orderId: number }, { manager }: TransactionalJobContext): Promise<void> {
    await manager.query('SELECT 1');
    seen.push(`booked ${orderId}`);
  }
}

/** Replaces the method, as a decorator that logs calls does. */
function Wrapped(_target: object, _name: string, descriptor: PropertyDescriptor): void {
  const original = descriptor.value as (...args: unknown[]) => unknown;
  descriptor.value = function (...args: unknown[]) {
    return original.apply(this, args);
  };
}

@Injectable()
class Journal {
  @OnEvent(orderPaid, { subscription: 'journal' })
  @OnEvent(orderPaid, { subscription: 'audit', transactional: true })
  @Wrapped
  @OnEvent(orderRefunded, { subscription: 'journal' })
  @UseGuards(guard)
  write({ orderId }: { orderId: number }, job: JobContext): void {
    seen.push(`journal ${orderId} of ${job.name}${'manager' in job && job.manager ? ', with a manager' : ''}`);
  }
}

describe('@OnEvent', () => {
  const database = useDatabase('sqlite');
  let app: INestApplication | undefined;
  afterEach(async () => {
    seen.length = 0;
    await app?.close();
    app = undefined;
  });

  test('each decorated method gets a job of its own for an event', async () => {
    app = await startNestApp(database, { providers: [Mailer, Books] });
    const queue = app.get(TableQueue);
    await app.get(DataSource).transaction(async (manager) => {
      await queue.publish(orderPaid, { orderId: 42 }, { manager });
    });
    await waitFor('both have run', () => seen.includes('mail 42, attempt 2') && seen.includes('booked 42'));
    expect(seen.toSorted()).toEqual(
      [
        'booked 42',
        'guard of order.paid@mailing',
        'guard of order.paid@mailing',
        'mail 42, attempt 1',
        'mail 42, attempt 2',
      ].toSorted(),
    );
    const { subscriptions } = await queue.subscriptions.list();
    expect(subscriptions.map(({ name, queue: of }) => `${name} ${of}`).toSorted()).toEqual([
      'books default',
      'mailing mail',
    ]);
  });

  test('a method can have several, for several events and transactional or not', async () => {
    app = await startNestApp(database, { providers: [Journal] });
    const queue = app.get(TableQueue);
    await queue.publish(orderPaid, { orderId: 1 });
    await queue.publish(orderRefunded, { orderId: 2 });
    await waitFor('all have run', () => seen.filter((line) => line.startsWith('journal')).length === 3);
    expect(seen.toSorted()).toEqual([
      'guard of order.paid@audit',
      'guard of order.paid@journal',
      'guard of order.refunded@journal',
      'journal 1 of order.paid@audit, with a manager',
      'journal 1 of order.paid@journal',
      'journal 2 of order.refunded@journal',
    ]);
  });

  test('wrong events and options are refused at the decorator', () => {
    const decorate = (event: unknown, options: object) => () => {
      class Wrong {
        @OnEvent(event as typeof orderPaid, { subscription: 's', ...options })
        handle(): void {}
      }
      return Wrong;
    };
    expect(decorate('order.*', {})).toThrow(WildcardEventError);
    expect(decorate(['order', '*'], {})).toThrow(WildcardEventError);
    expect(decorate('order.paid', {})).toThrow(InvalidOptionError);
    expect(decorate(undefined, {})).toThrow(InvalidOptionError);
    expect(decorate(orderPaid, { order: { by: () => 'a' } })).toThrow(SubscriptionOptionError);
    expect(() => {
      class Twice {
        @OnEvent(orderPaid, { subscription: 'a' })
        @OnEvent(orderPaid, { subscription: 'a', queue: 'b' })
        handle(): void {}
      }
      return Twice;
    }).toThrow(RepeatedQueueHandlerError);
    expect(() => {
      class Mixed {
        @OnEvent(orderPaid, { subscription: 'a' })
        @QueueHandler(defineJob<{ orderId: number }>('job'))
        handle(): void {}
      }
      return Mixed;
    }).toThrow(RepeatedQueueHandlerError);
  });
});

describe('@OnEvent in the testing module', () => {
  test('drain runs published events through to their subscriptions', async () => {
    const module = await Test.createTestingModule({
      imports: [TableQueueTestingModule.forRoot({})],
      providers: [Mailer, Books],
    }).compile();
    await module.init();
    const testing = testingQueue(module);
    await module.get(TableQueue).publish(orderPaid, { orderId: 1 });
    await testing.expectEnqueued(orderPaid.job, { payload: { orderId: 1 } });
    const drained = await testing.drain({ failures: 'return' });
    expect(drained.map(({ name, outcome }) => `${name} ${outcome}`).toSorted()).toEqual(
      [
        'order.paid succeeded',
        'order.paid@books succeeded',
        'order.paid@mailing retried',
        'order.paid@mailing succeeded',
      ].toSorted(),
    );
    expect(await module.get(DataSource).getRepository(TableQueueJob).count()).toBe(3);
    await module.close();
    seen.length = 0;
  });
});
