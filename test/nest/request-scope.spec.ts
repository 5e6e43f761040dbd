import 'reflect-metadata';

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from '@jest/globals';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  Scope,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import { ContextIdFactory, REQUEST } from '@nestjs/core';
import { QueueBatchRequest, QueueHandler, QueueRequest } from '@tablequeue/nestjs';
import {
  type BatchJob,
  type JobContext,
  TableQueue,
  type TransactionalJobContext,
  defineJob,
  fixed,
} from '@tablequeue/typeorm';

import { waitFor } from '../support/wait-for.js';
import { type Mail, useMailApplications } from './mail-application.fixture.js';

const send = defineJob<Mail>('mail.send', { retry: { attempts: 2, backoff: fixed(0) } });

const { start, database } = useMailApplications();

async function resultOf(queue: TableQueue, to: string): Promise<unknown> {
  return queue.waitFor((await queue.enqueue(send, { to })).id);
}

/** Knows for which job it was made. */
@Injectable({ scope: Scope.REQUEST })
class Letterhead {
  constructor(@Inject(REQUEST) readonly request: QueueRequest<Mail>) {}

  get line(): string {
    const { definition, payload, job } = this.request;
    return `${definition.name} to ${payload.to}, attempt ${job.attempt}`;
  }
}

@Injectable()
class Mailer {
  static made = 0;

  constructor(private readonly letterhead: Letterhead) {
    Mailer.made++;
  }

  @QueueHandler(send)
  send({ to }: Mail, job: JobContext): string {
    if (to === 'once more' && job.attempt === 1) {
      throw new Error('not yet');
    }
    return this.letterhead.line;
  }
}

describe('a provider that depends on the request', () => {
  test('is made for each attempt, and the job can be injected', async () => {
    const queue = await start({ providers: [Mailer, Letterhead] });
    const before = Mailer.made;
    expect(await resultOf(queue, 'Ada')).toBe('mail.send to Ada, attempt 1');
    expect(await resultOf(queue, 'once more')).toBe('mail.send to once more, attempt 2');
    expect(Mailer.made - before).toBe(3);
  });

  test('is that of its own module, if another module has another provider with the same token', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Other {
      readonly line = 'another letterhead';
    }
    @Module({ providers: [{ provide: 'MAILER', useClass: Mailer }, Letterhead] })
    class Mails {}
    @Module({ providers: [{ provide: 'MAILER', useClass: Other }] })
    class Others {}
    const queue = await start({ imports: [Mails, Others] });
    expect(await resultOf(queue, 'Ada')).toBe('mail.send to Ada, attempt 1');
  });

  test('may be a controller', async () => {
    @Controller()
    class Mails extends Mailer {}
    const queue = await start({ controllers: [Mails], providers: [Letterhead] });
    expect(await resultOf(queue, 'Ada')).toBe('mail.send to Ada, attempt 1');
  });

  test('may be transient alone', async () => {
    let made = 0;
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient {
      constructor(private readonly plain: Plain) {
        made++;
      }

      @QueueHandler(send)
      send({ to }: Mail): string {
        return this.plain.greet(to);
      }
    }
    const queue = await start({ providers: [Transient, Plain] });
    expect(await resultOf(queue, 'Ada')).toBe('Dear Ada');
    expect(await resultOf(queue, 'Bob')).toBe('Dear Bob');
    expect(made).toBe(2);
  });

  test('that cannot be made is a failed attempt', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Picky {
      constructor(@Inject(REQUEST) { job }: QueueRequest) {
        if (job.attempt === 1) {
          throw new Error('no paper');
        }
      }

      @QueueHandler(send)
      send(): string {
        return 'sent';
      }
    }
    const queue = await start({ providers: [Picky] });
    expect(await resultOf(queue, 'Ada')).toBe('sent');
  });

  test('has guards and pipes of its request around it', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class HeadGuard implements CanActivate {
      constructor(private readonly letterhead: Letterhead) {}

      canActivate(_context: ExecutionContext): boolean {
        return this.letterhead.request.job.attempt === 2;
      }
    }
    @Injectable()
    class Guarded {
      // Its guard makes it request-scoped.
      @UseGuards(HeadGuard)
      @UsePipes({ transform: ({ to }: Mail) => ({ to: to.toUpperCase() }) })
      @QueueHandler(send)
      send({ to }: Mail, { attempt }: JobContext): string {
        return `${to}, attempt ${attempt}`;
      }
    }
    const queue = await start({ providers: [Guarded, Letterhead] });
    expect(await resultOf(queue, 'Ada')).toBe('ADA, attempt 2');
  });

  test('of a batch handler it is made for each call, with all its jobs', async () => {
    const requests: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Batches {
      constructor(@Inject(REQUEST) private readonly request: QueueBatchRequest<Mail>) {
        requests.push(request);
      }

      @QueueHandler(send, { batch: true })
      send(jobs: readonly BatchJob<Mail>[]): void {
        for (const [index, job] of this.request.jobs.entries()) {
          job.succeed(`${job.payload.to} is ${jobs[index] === job ? 'the same' : 'another'}`);
        }
      }
    }
    const queue = await start({ providers: [Batches] });
    const jobs = await queue.enqueueMany(
      send,
      ['Ann', 'Bob'].map((to) => ({ payload: { to } })),
    );
    const results = await Promise.all(jobs.map(({ id }) => queue.waitFor(id)));
    expect(results).toEqual(['Ann is the same', 'Bob is the same']);
    expect(requests).toEqual([expect.any(QueueBatchRequest)]);
  });

  test('of a transactional handler it has the manager', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Notes {
      private readonly job: TransactionalJobContext;

      constructor(@Inject(REQUEST) { job }: QueueRequest<Mail>) {
        this.job = job as TransactionalJobContext;
      }

      @QueueHandler(send, { transactional: true })
      async send({ to }: Mail): Promise<void> {
        await this.job.manager.query(`INSERT INTO note (id, text) VALUES (1, '${to}')`);
      }
    }
    const queue = await start({ providers: [Notes] });
    await resultOf(queue, 'Ada');
    const dataSource = await database.connect();
    expect(await dataSource.query('SELECT text FROM note')).toEqual([{ text: 'Ada' }]);
  });

  test('that is durable lives as long as its context', async () => {
    const made: string[] = [];
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Tenant {
      constructor(@Inject(REQUEST) { tenant }: { tenant: string }) {
        made.push(tenant);
      }

      @QueueHandler(send)
      send({ to }: Mail): string {
        return to;
      }
    }
    const subTrees = new Map<string, ReturnType<typeof ContextIdFactory.create>>();
    ContextIdFactory.apply({
      attach: (contextId, request) => {
        const tenant = (request as unknown as QueueRequest).job.tenant ?? 'nobody';
        const subTree = subTrees.get(tenant) ?? ContextIdFactory.create();
        subTrees.set(tenant, subTree);
        return { resolve: ({ isTreeDurable }) => (isTreeDurable ? subTree : contextId), payload: { tenant } };
      },
    });
    try {
      const queue = await start({ providers: [Tenant] });
      for (const tenant of ['a', 'b', 'a']) {
        await queue.waitFor((await queue.enqueue(send, { to: tenant }, { tenant })).id);
      }
      expect(made).toEqual(['a', 'b']);
    } finally {
      ContextIdFactory.apply(undefined as never);
    }
  });

  test('is garbage when the attempt has ended', async () => {
    const instances: WeakRef<object>[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Heavy {
      constructor(letterhead: Letterhead) {
        instances.push(new WeakRef(this), new WeakRef(letterhead), new WeakRef(letterhead.request));
      }

      @UsePipes({ transform: (value: unknown) => value })
      @QueueHandler(send)
      send(): void {}
    }
    const queue = await start({ providers: [Heavy, Letterhead] });
    for (let index = 0; index < 20; index++) {
      await resultOf(queue, 'Ada');
    }
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    // Nest's cache of a method's metadata keeps the first instance, and an engine may keep the last one a while.
    await waitFor('the instances are gone', () => {
      collectGarbage();
      return instances.filter((instance) => instance.deref() !== undefined).length <= 6;
    });
    expect(instances).toHaveLength(60);
  });
});

@Injectable()
class Plain {
  greet(to: string): string {
    return `Dear ${to}`;
  }
}
