import 'reflect-metadata';

import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type CanActivate,
  Controller,
  type INestApplication,
  Injectable,
  Module,
  type Provider,
  Scope,
  type Type,
  UseGuards,
  applyDecorators,
} from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import {
  DuplicateDefinitionError,
  QueueHandler,
  Recurring,
  RepeatedQueueHandlerError,
  UndecoratedOverrideError,
  UnknownJobDefinitionError,
  UnsupportedHandlerMethodError,
} from '@tablequeue/nestjs';
import {
  type BatchJob,
  DuplicateHandlerError,
  InvalidNameError,
  InvalidOptionError,
  type JobContext,
  TableQueue,
  type TransactionalJobContext,
  defineJob,
} from '@tablequeue/typeorm';

import { type NestAppOptions, startNestApp } from '../support/nest-app.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useDatabase } from '../support/use-database.js';

interface Mail {
  readonly to: string;
}

const send = defineJob<Mail>('mail.send', { queue: 'mail' });
const report = defineJob<Mail>('mail.report', { queue: 'mail' });

@Injectable()
class Mailer {
  protected greeting = 'Dear';

  @QueueHandler(send)
  send({ to }: Mail): string {
    return `${this.greeting} ${to}`;
  }
}

let app: INestApplication | undefined;
const database = useDatabase('sqlite');
afterEach(async () => {
  await app?.close();
  app = undefined;
});

async function start(options: NestAppOptions): Promise<TableQueue> {
  app = await startNestApp(database, options);
  return app.get(TableQueue);
}

/** What the start fails with. */
async function failure(options: NestAppOptions): Promise<Error> {
  return start(options).then(
    () => new Error('it started'),
    (error: Error) => error,
  );
}

async function resultOf(queue: TableQueue, definition = send): Promise<unknown> {
  return queue.waitFor((await queue.enqueue(definition, { to: 'Ada' })).id);
}

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
    expect(none.message).toMatch(/^Named.send \(AppModule\) handles the job "mail.send".* It has none\.$/);
    const other = await failure({ providers: [Named], queue: { definitions: [report] } });
    expect(other.message).toMatch(/It has "mail.report"\.$/);
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

describe('a decorator that replaces the method', () => {
  const calls: string[] = [];
  const Logged = (): MethodDecorator => (_target, _property, descriptor) => {
    const inner = descriptor.value as (...args: unknown[]) => unknown;
    descriptor.value = function (this: unknown, ...args: unknown[]) {
      calls.push('logged');
      return inner.apply(this, args);
    } as never;
  };

  const noCall: CanActivate = { canActivate: () => calls.push('guarded') > 0 };

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

      @applyDecorators(QueueHandler(report) as MethodDecorator, Logged())
      report({ to }: Mail): string {
        return `${this.greeting} ${to}, again`;
      }
    }
    const queue = await start({ providers: [Wrapped] });
    expect(await resultOf(queue)).toBe('Dear Ada');
    expect(calls).toEqual(['guarded', 'logged']);
    expect(await resultOf(queue, report)).toBe('Dear Ada, again');
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

test('the start warns of options for a queue that nothing uses, with the nearest name', async () => {
  const logger = new RecordingLogger();
  await start({
    providers: [Mailer],
    queue: { definitions: [defineJob('pdf', { queue: 'slow' })], queues: { mial: {}, mail: {}, slow: {}, other: {} } },
    configure: (application) => application.useLogger(logger),
  });
  const unused = logger.lines.filter((line) => line.includes('has no effect'));
  expect(unused).toEqual([
    expect.stringMatching(/"queues.mial" has no effect: .* Did you mean "mail"\?$/),
    expect.stringMatching(/"queues.other" has no effect: .* The queues are: mail, slow\.$/),
  ]);
});

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
    await app!.get(LazyModuleLoader).load(() => Lazy);
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
      'The method Mailer.send has @QueueHandler twice, for "mail.send" and for "mail.report"',
    );
  });

  test('is allowed on methods only', () => {
    const decorate = QueueHandler(send) as (target: object, name: string, descriptor?: PropertyDescriptor) => void;
    expect(() => decorate(Mailer.prototype, 'property')).toThrow(UnsupportedHandlerMethodError);
    expect(() => decorate(Mailer.prototype, 'accessor', { get: () => 1 })).toThrow(/is an accessor or a property/);
  });
});
