import 'reflect-metadata';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type CallHandler,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { type DurableJobContext, JobParkedError, TableQueue, defineJob, defineSignal } from '@tablequeue/typeorm';
import { type Observable, of, tap } from 'rxjs';
import { catchError } from 'rxjs/operators';

import { startNestApp } from '../support/nest-app.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

const approval = defineJob('approval');
const watched = defineJob('approval.watched');
const approved = defineSignal<string>('approved');

const seen: unknown[] = [];

/** Sees the end of each call, and makes a success of each error. */
@Injectable()
class Watcher implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      tap({ error: (error: unknown) => seen.push(error), complete: () => seen.push('complete') }),
      catchError(() => of('caught')),
    );
  }
}

@Injectable()
class Approvals {
  @QueueHandler(approval)
  plain(_payload: void, job: DurableJobContext): Promise<string> {
    return this.approve(job);
  }

  @QueueHandler(watched)
  @UseInterceptors(Watcher)
  watched(_payload: void, job: DurableJobContext): Promise<string> {
    return this.approve(job);
  }

  private async approve({ step, waitForSignal }: DurableJobContext): Promise<string> {
    const asked = await step('ask', () => 'asked');
    return `${asked}, approved by ${(await waitForSignal(approved)).data}`;
  }
}

describe('durable jobs in Nest', () => {
  let app: INestApplication;
  const database = useDatabase('sqlite');
  afterEach(() => {
    seen.length = 0;
    return app.close();
  });

  test.each([
    ['a method', approval],
    ['a method with interceptors', watched],
  ])('%s makes steps and waits', async (_what, definition) => {
    app = await startNestApp(database, { providers: [Approvals, Watcher] });
    const queue = app.get(TableQueue);
    const { id } = await queue.enqueue(definition);
    await waitFor('it waits', async () => (await queue.find(id))?.state === 'waiting');
    await queue.signal(id, approved, 'ada');
    expect(await queue.waitFor(id)).toBe('asked, approved by ada');
  });

  test('an interceptor sees that a job starts to wait, and cannot change it', async () => {
    app = await startNestApp(database, { providers: [Approvals, Watcher] });
    const queue = app.get(TableQueue);
    const { id } = await queue.enqueue(watched);
    await waitFor('it waits', async () => (await queue.find(id))?.state === 'waiting');
    expect(seen).toEqual([expect.any(JobParkedError)]);
    await queue.signal(id, approved, 'ada');
    await queue.waitFor(id);
    expect(seen).toEqual([expect.any(JobParkedError), 'complete']);
  });
});
