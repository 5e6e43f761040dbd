import 'reflect-metadata';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type ArgumentsHost,
  type CallHandler,
  Controller,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  Module,
  type NestInterceptor,
  UseGuards,
} from '@nestjs/common';
import {
  QUEUE_CONTEXT_TYPE,
  QueueBatchRequest,
  QueueContextError,
  QueueExecutionContext,
  QueueHandler,
  QueueRequest,
  UnreachableHandlerError,
} from '@tablequeue/nestjs';
import {
  JobFailedError,
  SnoozeJobError,
  TableQueue,
  type TransactionalJobContext,
  UnrecoverableJobError,
} from '@tablequeue/typeorm';
import { type Observable } from 'rxjs';
import { type NestAppOptions, startNestApp } from '../support/nest-app.js';
import { useDatabase } from '../support/use-database.js';
import {
  Answers,
  OrderGuard,
  Orders,
  batched,
  decorated,
  filtered,
  guarded,
  microservice,
  piped,
  plain,
  seen,
  streamed,
  transactional,
} from './enhancers.fixture.js';

let app: INestApplication;
const database = useDatabase('sqlite');
afterEach(() => {
  seen.length = 0;
  return app.close();
});

async function start(options: NestAppOptions = {}): Promise<TableQueue> {
  app = await startNestApp(database, { providers: [Answers, Orders], ...options });
  return app.get(TableQueue);
}

/** What becomes of an order. */
async function resultOf(definition: typeof plain, id: number): Promise<unknown> {
  const queue = app.get(TableQueue);
  return queue.waitFor((await queue.enqueue(definition, { id })).id);
}

describe('enhancers of a handler', () => {
  test('a guard that refuses makes it a failed attempt, which is tried again', async () => {
    await start();
    expect(await resultOf(guarded, 1)).toBe(1);
    expect(seen).toEqual(['order 1, attempt 2']);
    app.get(Answers).guard.set(2, false);
    await expect(resultOf(guarded, 2)).rejects.toThrow(/ForbiddenException: Forbidden resource/);
  });

  test('an error of a guard has the same effect as an error of the handler', async () => {
    const queue = await start();
    app.get(Answers).guard.set(3, new UnrecoverableJobError('never')).set(4, new SnoozeJobError('1h'));
    const failed = await queue.enqueue(guarded, { id: 3 });
    await expect(queue.waitFor(failed.id)).rejects.toThrow(/never/);
    expect(await queue.find(failed.id)).toMatchObject({ state: 'failed', failures: 1 });
    const snoozed = await queue.enqueue(guarded, { id: 4 });
    app.get(Answers).guard.delete(3);
    await resultOf(guarded, 5);
    expect(await queue.find(snoozed.id)).toMatchObject({ state: 'scheduled', failures: 0 });
    await queue.cancel(snoozed.id);
  });

  test('an interceptor wraps the call and makes the result', async () => {
    await start();
    expect(await resultOf(plain, 3)).toBe(6);
    const mark = 'a mark';
    const call = { type: QUEUE_CONTEXT_TYPE, class: 'Orders', handler: 'intercepted', mark, args: 2, jobs: 1 };
    expect(seen).toEqual([{ ...call, job: 'order.plain' }, 2]);
  });

  test('a pipe gets the payload and nothing else', async () => {
    await start();
    expect(await resultOf(piped, 1)).toBe(202);
    expect(seen).toEqual([
      { type: 'tablequeue', class: 'Orders', handler: 'piped', mark: 'a mark', args: 2, job: 'order.piped', jobs: 1 },
      { type: 'body', metatype: Object },
      'order.piped',
    ]);
  });

  test('a parameter decorator adds an argument', async () => {
    await start();
    expect(await resultOf(decorated, 7)).toBe('7 1 tenant 7');
    expect(await resultOf(microservice, 7)).toBe('107 order.microservice');
  });

  test.each([
    [1, 'from the filter'],
    [2, 'later'],
    [3, 'observed'],
  ])('the value that a filter returns is the result (%i)', async (id, result) => {
    await start();
    expect(await resultOf(filtered, id)).toBe(result);
  });

  test('a filter that returns nothing leaves the error as it is; one that throws replaces it', async () => {
    const queue = await start();
    const kept = await queue.enqueue(filtered, { id: 4 });
    await expect(queue.waitFor(kept.id)).rejects.toThrow(/RangeError: order 4/);
    expect(await queue.find(kept.id)).toMatchObject({ failures: 2 });
    const replaced = await queue.enqueue(filtered, { id: 5 });
    await expect(queue.waitFor(replaced.id)).rejects.toThrow(/never/);
    expect(await queue.find(replaced.id)).toMatchObject({ failures: 1 });
  });

  test('of a batch handler they wrap the call', async () => {
    const queue = await start();
    const jobs = await queue.enqueueMany(
      batched,
      [1, 2, 3].map((id) => ({ payload: { id } })),
    );
    const ends = await Promise.allSettled(jobs.map(({ id }) => queue.waitFor(id)));
    expect(ends).toEqual([
      { status: 'fulfilled', value: 'the first' },
      { status: 'rejected', reason: expect.any(JobFailedError) },
      { status: 'fulfilled', value: undefined },
    ]);
    expect(seen).toEqual([expect.objectContaining({ handler: 'batched', job: 'order.batched', jobs: 3 })]);
  });

  test('of a transactional handler they run in its transaction', async () => {
    let manager: unknown;
    @Injectable()
    class Looking implements NestInterceptor {
      intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        ({ manager } = QueueExecutionContext.create(context).getJob<TransactionalJobContext>());
        return next.handle();
      }
    }
    await start({ configure: (application) => application.useGlobalInterceptors(new Looking()) });
    expect(await resultOf(transactional, 4)).toBe(8);
    expect(manager).toBeDefined();
  });

  test('an observable is waited for: its last value is the result', async () => {
    await start();
    expect(await resultOf(streamed, 1)).toBe(3);
    expect(await resultOf(streamed, 2)).toBe(4);
    await expect(resultOf(streamed, 3)).rejects.toThrow(/Error: 5/);
  });

  test('a handler with enhancers outside of a provider class stops the start: Nest would skip them', async () => {
    @Controller()
    class Shop {
      @UseGuards(OrderGuard)
      @QueueHandler(guarded)
      guarded(): void {}
    }
    const error = await start({ controllers: [Shop], providers: [Answers] }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreachableHandlerError);
    expect((error as Error).message).toMatch(/OrderGuard around the queue handler Shop.guarded \(AppModule\)/);

    class Made extends Shop {}
    await expect(start({ providers: [Answers, { provide: 'SHOP', useFactory: () => new Made() }] })).rejects.toThrow(
      /OrderGuard around the queue handler Made.guarded \(AppModule, provided as SHOP\)/,
    );

    // An instance needs no provider; a class provided by another token is one that Nest knows.
    @Controller()
    class Kiosk {
      @UseGuards(new OrderGuard(new Answers()))
      @QueueHandler(guarded)
      guarded(): string {
        return 'kiosk';
      }
    }
    await start({ controllers: [Kiosk], providers: [] });
    expect(await resultOf(guarded, 1)).toBe('kiosk');
    await app.close();
    // What hands it on does not matter, even if it comes first.
    @Module({ providers: [Answers, Orders], exports: [Orders] })
    class OrdersModule {}
    const handedOn = { provide: 'ORDERS', inject: [Orders], useFactory: (orders: Orders) => orders };
    await start({ imports: [OrdersModule], providers: [handedOn] });
    expect(await resultOf(guarded, 2)).toBe(2);
    await app.close();
    await start({ providers: [Answers, { provide: 'ORDERS', useClass: Orders }] });
    expect(await resultOf(guarded, 1)).toBe(1);
    expect(seen).toEqual(['order 2, attempt 2', 'order 1, attempt 2']);
  });
});

describe('QueueExecutionContext', () => {
  test('gives the request of the call, and names the missing parts of a batch', async () => {
    let call: QueueExecutionContext | undefined;
    await start({
      configure: (application) =>
        application.useGlobalGuards({
          canActivate: (context) => {
            call = QueueExecutionContext.create(context);
            return true;
          },
        }),
    });
    await resultOf(streamed, 1);
    expect(call?.getRequest()).toBeInstanceOf(QueueRequest);
    expect(call?.getRequest()).toMatchObject({ definition: streamed, payload: { id: 1 }, job: { attempt: 1 } });
    await resultOf(batched, 1);
    const batch = call!;
    expect(batch.getRequest()).toBeInstanceOf(QueueBatchRequest);
    expect(batch.getJobs()).toMatchObject([{ payload: { id: 1 } }]);
    expect(() => batch.getJob()).toThrow(QueueContextError);
    expect(() => batch.getPayload()).toThrow(/getPayload was called for a batch of "order.batched"/);
  });

  test('is of jobs only', () => {
    const host = { getType: () => 'http', getArgs: () => [{}, {}] } as unknown as ArgumentsHost;
    expect(() => QueueExecutionContext.create(host)).toThrow(/of type "http", and not of a job/);
  });
});
