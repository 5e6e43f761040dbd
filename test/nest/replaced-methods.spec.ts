import 'reflect-metadata';

import { beforeEach, describe, expect, test } from '@jest/globals';
import { type CanActivate, Injectable, UseGuards, applyDecorators } from '@nestjs/common';
import {
  OnEvent,
  OnQueueEvent,
  type QueueEvent,
  QueueHandler,
  Recurring,
  RepeatedQueueHandlerError,
  UndecoratedOverrideError,
  UnsupportedHandlerMethodError,
  UnsupportedListenerError,
} from '@tablequeue/nestjs';
import { defineEvent } from '@tablequeue/typeorm';

import { waitFor } from '../support/wait-for.js';
import { type Mail, Mailer, report, resultOf, send, useMailApplications } from './mail-application.fixture.js';

const { start, failure } = useMailApplications();

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

describe('a decorator that makes the method an accessor stops the start', () => {
  /** As decorators do that bind `this`, or keep results. */
  const Bound = (): MethodDecorator => (_target, _property, descriptor) => {
    const inner = descriptor.value as unknown as (...args: unknown[]) => unknown;
    return {
      configurable: true,
      get() {
        calls.push('bound');
        return inner.bind(this);
      },
    } as never;
  };
  const sent = defineEvent<Mail>('mail.sent');
  const daily = { every: '1d', payload: { to: 'all' } } as const;

  class Handler {
    @Bound()
    @QueueHandler(send)
    send(_payload: Mail): void {}
  }
  class Subscriber {
    @Bound()
    @OnEvent(sent, { subscription: 'journal' })
    send(_payload: Mail): void {}
  }
  class Schedule {
    @Bound()
    @Recurring(daily)
    send(_payload: Mail): void {}
  }
  class Inherited extends Handler {}
  test.each([Handler, Subscriber, Schedule, Inherited])('of the handler: %p', async (provider) => {
    const error = await failure({ providers: [provider] });
    expect(error).toBeInstanceOf(UnsupportedHandlerMethodError);
    expect(error.message).toMatch(
      /^The queue handler \w+\.send \(AppModule\) is no method any more, because another decorator has made it an accessor, .* Remove that decorator/,
    );
    expect(calls).toEqual([]);
  });

  test('of the listener', async () => {
    @Injectable()
    class Journal {
      @Bound()
      @OnQueueEvent('succeeded')
      ended(): void {}
    }
    const error = await failure({ providers: [Mailer, Journal] });
    expect(error).toBeInstanceOf(UnsupportedListenerError);
    expect(error.message).toMatch(/The event listener Journal\.ended \(AppModule\) is no method any more/);
    expect(calls).toEqual([]);
  });

  test('unless the class overrides it with a decorated method', async () => {
    @Injectable()
    class Override extends Handler {
      @QueueHandler(send)
      override send({ to }: Mail): string {
        return `overridden for ${to}`;
      }
    }
    expect(await resultOf(await start({ providers: [Override] }))).toBe('overridden for Ada');
  });
});

describe('an override without the decorator stops the start', () => {
  class Base {
    @Recurring({ every: '1d', payload: { to: 'all' } })
    @QueueHandler(send)
    send(_payload: Mail): void {}

    @OnQueueEvent('succeeded')
    ended(): void {}
  }

  test('of @Recurring', async () => {
    @Injectable()
    class Override extends Base {
      @QueueHandler(send)
      override send(_payload: Mail): void {}
    }
    const error = await failure({ providers: [Override] });
    expect(error).toBeInstanceOf(UndecoratedOverrideError);
    expect(error.message).toContain(
      'The method Override.send (AppModule) overrides the recurring queue handler Base.send and has no @Recurring. ' +
        'Add the decorator, or rename the method.',
    );
  });

  test('of @OnQueueEvent, on the way to the class that is provided', async () => {
    class Override extends Base {
      override ended(): void {}
    }
    @Injectable()
    class Last extends Override {}
    const error = await failure({ providers: [Last] });
    expect(error).toBeInstanceOf(UndecoratedOverrideError);
    expect(error.message).toContain(
      'The method Last.ended (AppModule) overrides the event listener Base.ended and has no @OnQueueEvent.',
    );
  });

  test('and with it the last one counts', async () => {
    const events: string[] = [];
    @Injectable()
    class Override extends Base {
      @Recurring('hourly', { every: '1h', payload: { to: 'all' } })
      @QueueHandler(send)
      override send(_payload: Mail): void {}

      @OnQueueEvent('succeeded', report)
      @OnQueueEvent('started')
      override ended(...[event]: [QueueEvent<'succeeded' | 'started'>?]): void {
        events.push(event!.type);
      }
    }
    const queue = await start({ providers: [Override] });
    expect((await queue.recurring.list()).map(({ name }) => name)).toEqual(['hourly']);
    await resultOf(queue);
    expect(events).toEqual(['started']);
    await queue.recurring.remove('hourly');
  });
});
