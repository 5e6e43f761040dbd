import 'reflect-metadata';

import { beforeEach, describe, expect, test } from '@jest/globals';
import { type CanActivate, Injectable, UseGuards, applyDecorators } from '@nestjs/common';
import { OnQueueEvent, type QueueEvent, QueueHandler, Recurring, RepeatedQueueHandlerError } from '@tablequeue/nestjs';

import { waitFor } from '../support/wait-for.js';
import { type Mail, Mailer, report, resultOf, send, useMailApplications } from './mail-application.fixture.js';

const { start } = useMailApplications();

/** What ran, in order. */
const calls: string[] = [];
beforeEach(() => void calls.splice(0));

/** Replaces the method, and copies none of its metadata. */
const Logged = (): MethodDecorator => (_target, _property, descriptor) => {
  const inner = descriptor.value as (...args: unknown[]) => unknown;
  descriptor.value = function (this: unknown, ...args: unknown[]) {
    calls.push('logged');
    return inner.apply(this, args);
  } as never;
};

const noCall: CanActivate = { canActivate: () => calls.push('guarded') > 0 };

describe('a decorator that replaces the method', () => {
  test('wraps the handler, with its guards and schedules', async () => {
    @Injectable()
    class Wrapped {
      private readonly greeting = 'Dear';

      @Logged()
      @UseGuards(noCall)
      @QueueHandler(send)
      send({ to }: Mail): string {
        return `${this.greeting} ${to}`;
      }

      @applyDecorators(QueueHandler(report), Logged())
      report({ to }: Mail): string {
        return `${this.greeting} ${to}, again`;
      }
    }
    const queue = await start({ providers: [Wrapped] });
    expect(await resultOf(queue)).toBe('Dear Ada');
    expect(calls).toEqual(['guarded', 'logged']);
    expect(await resultOf(queue, report)).toBe('Dear Ada, again');
  });

  test('keeps the schedules above and below it', async () => {
    @Injectable()
    class Wrapped {
      @Recurring('above', { every: '1d', payload: { to: 'all' } })
      @QueueHandler(send)
      @Logged()
      @Recurring('below', { every: '1d', payload: { to: 'all' } })
      send(_payload: Mail): void {}
    }
    const { recurring } = await start({ providers: [Wrapped] });
    expect((await recurring.list()).map(({ name }) => name)).toEqual(['above', 'below']);
    await Promise.all(['above', 'below'].map((name) => recurring.remove(name)));
  });

  test('wraps the listener, above and below other decorators', async () => {
    const events: string[] = [];
    @Injectable()
    class Journal {
      private readonly sign = '!';

      @OnQueueEvent('started')
      @Logged()
      @OnQueueEvent('succeeded')
      ended({ type }: QueueEvent<'started' | 'succeeded'>): void {
        events.push(type + this.sign);
      }

      @applyDecorators(OnQueueEvent('drained'), Logged())
      drained({ queue }: QueueEvent<'drained'>): void {
        events.push(`${queue} is empty`);
      }
    }
    const queue = await start({ providers: [Mailer, Journal] });
    expect(await resultOf(queue)).toBe('Dear Ada');
    await waitFor('the last event', () => events.length === 3);
    expect(events).toEqual(['started!', 'succeeded!', 'mail is empty']);
    expect(calls).toEqual(['logged', 'logged', 'logged']);
  });

  test('does not make an override a listener that has no decorator', async () => {
    const events: string[] = [];
    class Base {
      @OnQueueEvent('succeeded')
      first(): void {
        events.push('first');
      }

      @OnQueueEvent('succeeded')
      second(): void {
        events.push('second');
      }
    }
    @Injectable()
    class Override extends Base {
      override first(): void {
        events.push('overridden');
      }
    }
    const queue = await start({ providers: [Mailer, Override] });
    await resultOf(queue);
    await waitFor('the event', () => events.length > 0);
    expect(events).toEqual(['second']);
  });

  test('does not hide a second @QueueHandler', () => {
    const declare = () => {
      class Repeated {
        @QueueHandler(report)
        @Logged()
        @QueueHandler(send)
        send(_payload: Mail): void {}
      }
      return Repeated;
    };
    expect(declare).toThrow(RepeatedQueueHandlerError);
  });
});
