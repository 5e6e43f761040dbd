import 'reflect-metadata';

import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type ArgumentsHost,
  BadRequestException,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  type Provider,
  Scope,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, REQUEST } from '@nestjs/core';
import { QueueExecutionContext, QueueHandler, QueueRequest, UnreachableHandlerError } from '@tablequeue/nestjs';
import { JobFailedError, type JobContext, TableQueue, defineJob } from '@tablequeue/typeorm';
import { type Observable, map } from 'rxjs';

import { type NestAppOptions, startNestApp } from '../support/nest-app.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { useDatabase } from '../support/use-database.js';

const count = defineJob<number>('count', { retry: { attempts: 1 } });

/** The enhancers that wrapped a call. */
let seen: string[] = [];

@Injectable()
class Counter {
  @QueueHandler(count)
  count(number: number, _job: JobContext): number {
    if (number < 0) {
      throw new RangeError('negative');
    }
    return number;
  }
}

@Injectable()
class GlobalGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    seen.push(`guard of ${context.getType()}`);
    return true;
  }
}

@Injectable()
class GlobalInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<number>): Observable<number> {
    return next.handle().pipe(map((value) => value + 1));
  }
}

@Injectable()
class GlobalPipe implements PipeTransform {
  transform(value: number): number {
    return value * 10;
  }
}

@Catch(RangeError)
class GlobalFilter implements ExceptionFilter {
  catch(error: Error, host: ArgumentsHost): string {
    return `${error.message}, job ${QueueExecutionContext.create(host).getPayload<number>()}`;
  }
}

let app: INestApplication | undefined;
const database = useDatabase('sqlite');
afterEach(async () => {
  seen = [];
  await app?.close();
  app = undefined;
});

async function start(options: NestAppOptions = {}): Promise<TableQueue> {
  app = await startNestApp(database, { ...options, providers: options.providers ?? [Counter] });
  return app.get(TableQueue);
}

async function resultOf(queue: TableQueue, number: number): Promise<unknown> {
  return queue.waitFor((await queue.enqueue(count, number)).id);
}

describe('global guards, interceptors, pipes and filters run around jobs', () => {
  const globals: Provider[] = [
    { provide: APP_GUARD, useClass: GlobalGuard },
    { provide: APP_INTERCEPTOR, useClass: GlobalInterceptor },
    { provide: APP_PIPE, useClass: GlobalPipe },
    { provide: APP_FILTER, useClass: GlobalFilter },
  ];
  test.each<[string, NestAppOptions]>([
    ['APP_GUARD and the like', { providers: [Counter, ...globals] }],
    [
      'app.useGlobalGuards and the like',
      {
        configure: (application) =>
          application
            .useGlobalGuards(new GlobalGuard())
            .useGlobalInterceptors(new GlobalInterceptor())
            .useGlobalPipes(new GlobalPipe())
            .useGlobalFilters(new GlobalFilter()),
      },
    ],
  ])('%s', async (_how, options) => {
    const queue = await start(options);
    expect(await resultOf(queue, 4)).toBe(41);
    expect(await resultOf(queue, -4)).toBe('negative, job -4');
    expect(seen).toEqual(['guard of tablequeue', 'guard of tablequeue']);
  });

  test('the start logs that', async () => {
    const logger = new RecordingLogger();
    await start({ configure: (application) => application.useGlobalGuards(new GlobalGuard()).useLogger(logger) });
    expect(logger.lines.join('\n')).toContain('run around jobs too: GlobalGuard.');
  });

  describe('a filter that catches everything does not hide a failure', () => {
    const failing = async (useValue: ExceptionFilter) => {
      const queue = await start({ providers: [Counter, { provide: APP_FILTER, useValue }] });
      const error = await resultOf(queue, -1).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(JobFailedError);
      return (error as JobFailedError).reason;
    };

    @Catch()
    class HttpFilter implements ExceptionFilter {
      catch(_error: unknown, host: ArgumentsHost): void {
        host.switchToHttp().getResponse<{ status(code: number): void }>().status(500);
      }
    }

    @Catch()
    class AsyncFilter implements ExceptionFilter {
      async catch(): Promise<void> {}
    }

    test('if it fails without a response', async () => {
      expect(await failing(new HttpFilter())).toMatch(/^TypeError: .*caused by: RangeError: negative/s);
    });

    test('if it is asynchronous and returns nothing', async () => {
      expect(await failing(new AsyncFilter())).toMatch(/^RangeError: negative/);
    });

    test('if a pipe has thrown the error', async () => {
      const pipe: PipeTransform = {
        transform: () => {
          throw new BadRequestException(['to must be an email', 'id must be a number']);
        },
      };
      const queue = await start({
        providers: [
          Counter,
          { provide: APP_FILTER, useValue: new HttpFilter() },
          { provide: APP_PIPE, useValue: pipe },
        ],
      });
      await expect(resultOf(queue, 1)).rejects.toThrow(
        /caused by: BadRequestException: Bad Request Exception: to must be an email; id must be a number\n +at /,
      );
    });
  });

  test('request-scoped ones are made for each attempt, with its request', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class ScopedGuard implements CanActivate {
      constructor(@Inject(REQUEST) private readonly request: QueueRequest<number>) {}

      canActivate(): boolean {
        seen.push(`guard of ${this.request.payload}`);
        return true;
      }
    }
    const queue = await start({ providers: [Counter, { provide: APP_GUARD, useClass: ScopedGuard }] });
    expect(await resultOf(queue, 1)).toBe(1);
    expect(await resultOf(queue, 2)).toBe(2);
    expect(seen).toEqual(['guard of 1', 'guard of 2']);
    await app?.close();
    app = undefined;

    // Nest would not run it around what it did not make.
    class Made extends Counter {}
    const counter = { provide: 'COUNTER', useFactory: () => new Made() };
    const error = await start({ providers: [counter, { provide: APP_GUARD, useClass: ScopedGuard }] }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UnreachableHandlerError);
    expect(String(error)).toContain('ScopedGuard around the queue handler Made.count');
  });

  test('transient ones too', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class TransientGuard implements CanActivate {
      private readonly made = 'constructed';

      canActivate(): boolean {
        seen.push(this.made);
        return true;
      }
    }
    const queue = await start({ providers: [Counter, { provide: APP_GUARD, useClass: TransientGuard }] });
    expect(await resultOf(queue, 1)).toBe(1);
    expect(seen).toEqual(['constructed']);
  });

  test('routes of a controller that handles jobs still work', async () => {
    @Controller('counts')
    class Counts extends Counter {
      @Get()
      list(): string {
        return 'a list';
      }
    }
    const queue = await start({
      providers: [],
      controllers: [Counts],
      configure: (application) => application.useGlobalGuards(new GlobalGuard()),
    });
    await app!.listen(0, '127.0.0.1');
    const response = await fetch(`${await app!.getUrl()}/counts`);
    expect(await response.text()).toBe('a list');
    expect(await resultOf(queue, 1)).toBe(1);
    expect(seen).toEqual(['guard of http', 'guard of tablequeue']);
  });
});
