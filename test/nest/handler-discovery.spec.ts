import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import { Controller, Injectable, Module, type Provider, Scope, type Type } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import {
  OnEvent,
  OnQueueEvent,
  QueueHandler,
  Recurring,
  RepeatedQueueHandlerError,
  UndecoratedOverrideError,
  UnsupportedHandlerMethodError,
} from '@tablequeue/nestjs';
import { DuplicateHandlerError, TableQueue, defineEvent } from '@tablequeue/typeorm';

import type { NestAppOptions } from '../support/nest-app.js';
import { type Mail, Mailer, report, resultOf, send, useMailApplications } from './mail-application.fixture.js';

const { start, failure, app } = useMailApplications();

describe('inheritance', () => {
  test('a class has the handlers that it inherits, from an abstract one too', async () => {
    abstract class Base {
      protected abstract readonly sign: string;

      @QueueHandler(report)
      report({ to }: Mail): string {
        return `${to}${this.sign}`;
      }
    }
    @Injectable()
    class Middle extends Base {
      protected readonly sign: string = '!';

      @QueueHandler(send)
      send({ to }: Mail): string {
        return `Hi ${to}`;
      }
    }
    @Injectable()
    class Last extends Middle {
      protected override readonly sign = '?';

      @QueueHandler(send)
      override send(payload: Mail): string {
        return `${super.send(payload)}, again`;
      }
    }
    const queue = await start({ providers: [Last] });
    expect(await resultOf(queue, report)).toBe('Ada?');
    expect(await resultOf(queue)).toBe('Hi Ada, again');
  });

  test.each<[string, Type]>([
    [
      'a method',
      class Override extends Mailer {
        override send(): string {
          return 'mine';
        }
      },
    ],
    [
      'an accessor, which is not called',
      Object.defineProperty(class Override extends Mailer {}.prototype, 'send', {
        get: () => {
          throw new Error('called');
        },
      }).constructor as Type,
    ],
  ])('an override of a handler without @QueueHandler stops the start: %s', async (_what, provider) => {
    const error = await failure({ providers: [provider] });
    expect(error).toBeInstanceOf(UndecoratedOverrideError);
    expect(error.message).toContain('The method Override.send (AppModule) overrides the queue handler Mailer.send');
  });

  test('a class and one that inherits from it are two handlers', async () => {
    class Child extends Mailer {}
    const error = await failure({ providers: [Mailer, Child] });
    expect(error).toBeInstanceOf(DuplicateHandlerError);
    expect(error.message).toContain('Mailer.send (AppModule) and Child.send (AppModule)');
  });
});

describe('a handler may be', () => {
  class MailModule {
    @QueueHandler(send)
    send({ to }: Mail): string {
      return `Dear ${to}`;
    }
  }
  const useFactory = () => new Mailer();
  const symbol = Symbol('mailer');
  test.each<[string, NestAppOptions]>([
    ['a class', { providers: [Mailer] }],
    ['a class by another token', { providers: [{ provide: 'MAILER', useClass: Mailer }] }],
    ['a value', { providers: [{ provide: 'MAILER', useValue: new Mailer() }] }],
    ['made by a factory', { providers: [{ provide: symbol, useFactory }] }],
    ['made by an asynchronous factory', { providers: [{ provide: symbol, useFactory: async () => useFactory() }] }],
    ['known by two names', { providers: [Mailer, { provide: 'MAILER', useExisting: Mailer }] }],
    [
      'handed on by a factory',
      { providers: [Mailer, { provide: 'MAILER', inject: [Mailer], useFactory: (mailer: Mailer) => mailer }] },
    ],
    ['a controller', { controllers: [Controller()(Mailer) ?? Mailer] }],
    ['a module', { imports: [Module({})(MailModule) ?? MailModule] }],
  ])('%s', async (_what, options) => {
    expect(await resultOf(await start(options))).toBe('Dear Ada');
  });

  test('nothing that has no class, and no accessor is called', async () => {
    class Odd {
      get send(): never {
        throw new Error('called');
      }
    }
    const oddities: Provider[] = [Object.create(null) as object, null, undefined, 'text', 5, () => 1, new Odd()].map(
      (useValue, index) => ({ provide: `ODD_${index}`, useValue }),
    );
    await expect(start({ providers: [...oddities, Odd] })).resolves.toBeInstanceOf(TableQueue);
  });

  test('a second handler for a job stops the start with the names of both', async () => {
    @Module({ providers: [Mailer] })
    class Mails {}
    @Module({ providers: [Mailer, { provide: symbol, useClass: Mailer }] })
    class MoreMails {}
    const modules = await failure({ imports: [Mails, MoreMails] });
    expect(modules).toBeInstanceOf(DuplicateHandlerError);
    expect(modules.message).toContain('Mailer.send (Mails) and Mailer.send (MoreMails)');
    const tokens = await failure({ imports: [MoreMails] });
    expect(tokens.message).toContain('Mailer.send (MoreMails) and Mailer.send (MoreMails, provided as Symbol(mailer))');
  });

  test('not in a lazy module, and not of a request-scoped factory: Nest hides them', async () => {
    @Module({ providers: [Mailer] })
    class Lazy {}
    const scoped = { provide: 'MAILER', scope: Scope.REQUEST, useFactory };
    const queue = await start({ providers: [scoped] });
    await app()
      .get(LazyModuleLoader)
      .load(() => Lazy);
    const { id } = await queue.enqueue(send, { to: 'nobody' });
    expect((await queue.find(id))?.state).toBe('ready');
    await queue.cancel(id);
  });
});

describe('@QueueHandler', () => {
  test('is allowed once on a method', () => {
    expect(() => {
      class Twice {
        @QueueHandler(report)
        @QueueHandler<Mail>('mail.send')
        send(_payload: Mail): void {}
      }
      return Twice;
    }).toThrow(RepeatedQueueHandlerError);
    const again = QueueHandler(report) as (target: object, name: string, descriptor: PropertyDescriptor) => void;
    expect(() => again(Mailer.prototype, 'send', Object.getOwnPropertyDescriptor(Mailer.prototype, 'send')!)).toThrow(
      'The method Mailer.send handles "mail.send" and also "mail.report"',
    );
  });

  test('is allowed on methods only', () => {
    const decorate = QueueHandler(send) as (target: object, name: string, descriptor?: PropertyDescriptor) => void;
    expect(() => decorate(Mailer.prototype, 'property')).toThrow(UnsupportedHandlerMethodError);
    expect(() => decorate(Mailer.prototype, 'accessor', { get: () => 1 })).toThrow(/Mailer.accessor is no method/);
    expect(() => QueueHandler(send)(Mailer)).toThrow(/The queue handler Mailer is no method/);
    const recur = Recurring({ every: '1d' }) as (target: object, name: string | symbol) => void;
    expect(() => recur(Mailer, 'send')).toThrow(UnsupportedHandlerMethodError);
    expect(() => recur(Mailer.prototype, Symbol('send'))).toThrow(UnsupportedHandlerMethodError);
  });

  test.each([
    ['QueueHandler', QueueHandler(send)],
    ['OnEvent', OnEvent(defineEvent<Mail>('mail.sent'), { subscription: 'journal' })],
    ['Recurring', Recurring({ every: '1d', payload: { to: 'all' } })],
    ['OnQueueEvent', OnQueueEvent('failed')],
  ])('is no standard decorator, and names the compiler option: @%s', (_name, decorator) => {
    const decorate = decorator as unknown as (method: object, context: object) => void;
    const context = { kind: 'method', name: 'send', static: false, private: false };
    expect(() => decorate(() => undefined, context)).toThrow(
      /send has a standard decorator, .*Set "experimentalDecorators": true in the "compilerOptions" of your tsconfig/,
    );
  });
});
