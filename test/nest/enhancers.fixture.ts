import 'reflect-metadata';
import {
  type ArgumentMetadata,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  createParamDecorator,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type QueueContextType, QueueExecutionContext, QueueHandler } from '@tablequeue/nestjs';
import {
  type BatchJob,
  type JobContext,
  type TransactionalJobContext,
  UnrecoverableJobError,
  defineJob,
  fixed,
} from '@tablequeue/typeorm';
import { type Observable, concat, map, of, throwError } from 'rxjs';

interface Order {
  readonly id: number;
}

const retry = { attempts: 2, backoff: fixed(0) };
const define = (name: string) => defineJob<Order>(`order.${name}`, { retry });
export const guarded = define('guarded');
export const plain = define('plain');
export const piped = define('piped');
export const decorated = define('decorated');
export const filtered = define('filtered');
export const batched = define('batched');
export const transactional = define('transactional');
export const streamed = define('streamed');
export const microservice = define('microservice');

/** What has been seen of calls. */
export const seen: unknown[] = [];

@Injectable()
export class Answers {
  /** By the order's id; what is an error is thrown. */
  readonly guard = new Map<number, boolean | Error>();
}

@Injectable()
export class OrderGuard implements CanActivate {
  constructor(private readonly answers: Answers) {}

  canActivate(context: ExecutionContext): boolean {
    const call = QueueExecutionContext.create(context);
    const answer = this.answers.guard.get(call.getPayload<Order>().id) ?? call.getJob().attempt > 1;
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  }
}

@Injectable()
class Doubling implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler<number>): Observable<number> {
    const call = QueueExecutionContext.create(context);
    seen.push({
      type: context.getType<QueueContextType>(),
      class: context.getClass().name,
      handler: context.getHandler().name,
      mark: this.reflector.get<string>('mark', context.getHandler()),
      args: context.getArgs<unknown[]>().length,
      job: call.getDefinition().name,
      jobs: call.getJobs().length,
    });
    return next.handle().pipe(map((value) => value * 2));
  }
}

/** As strict as a pipe of a schema: it takes nothing but an order. */
@Injectable()
class OrderPipe implements PipeTransform {
  transform(value: Partial<Order>, { type, metatype }: ArgumentMetadata): Order {
    if (typeof value.id !== 'number' || Object.keys(value).length > 1) {
      throw new TypeError('this is no order');
    }
    seen.push({ type, metatype });
    return { id: value.id + 100 };
  }
}

const later = Promise.resolve('later');

@Catch(RangeError, ForbiddenException)
class OrderFilter implements ExceptionFilter {
  catch(error: Error, host: ArgumentsHost): unknown {
    const { id } = QueueExecutionContext.create(host).getPayload<Order>();
    if (error instanceof ForbiddenException) {
      throw new UnrecoverableJobError('never', { cause: error });
    }
    return { 1: 'from the filter', 2: later, 3: of('observed') }[id];
  }
}

const Tenant = createParamDecorator((prefix: string, context: ExecutionContext) => {
  const { id } = QueueExecutionContext.create(context).getPayload<Order>();
  return `${prefix} ${id}`;
});

/** As `@Payload()` and `@Ctx()` of @nestjs/microservices leave them. */
const rpcParameter =
  (type: number, ...pipes: PipeTransform[]): ParameterDecorator =>
  (target, property, index) => {
    const others = Reflect.getMetadata('__routeArguments__', target.constructor, property!) as object | undefined;
    const all = { ...others, [`${type}:${index}`]: { index, data: undefined, pipes } };
    Reflect.defineMetadata('__routeArguments__', all, target.constructor, property!);
  };

@Injectable()
export class Orders {
  @UseGuards(OrderGuard)
  @QueueHandler(guarded)
  guarded({ id }: Order, job: JobContext): number {
    seen.push(`order ${id}, attempt ${job.attempt}`);
    return id;
  }

  @UseInterceptors(Doubling)
  @SetMetadata('mark', 'a mark')
  @QueueHandler(plain)
  intercepted(...args: [Order, JobContext]): number {
    seen.push(args.length);
    return args[0].id;
  }

  @UsePipes(OrderPipe)
  @UseInterceptors(Doubling)
  @SetMetadata('mark', 'a mark')
  @QueueHandler(piped)
  piped(order: Order, job: JobContext): number {
    seen.push(job.name);
    return order.id;
  }

  @QueueHandler(decorated)
  decorated({ id }: Order, job: JobContext, @Tenant('tenant') tenant?: string): string {
    return `${id} ${job.attempt} ${tenant}`;
  }

  @QueueHandler(microservice)
  microservice(@rpcParameter(3, new OrderPipe()) { id }: Order, @rpcParameter(6) { name }: JobContext): string {
    return `${id} ${name}`;
  }

  @UseFilters(OrderFilter)
  @QueueHandler(filtered)
  filtered({ id }: Order): void {
    throw id === 5 ? new ForbiddenException() : new RangeError(`order ${id}`);
  }

  @UseFilters(OrderFilter)
  @UseInterceptors(Doubling)
  @QueueHandler(batched, { batch: true })
  batched(jobs: readonly BatchJob<Order>[]): void {
    jobs[0]?.succeed('the first');
    jobs[1]?.fail(new UnrecoverableJobError('the second'));
  }

  @UseInterceptors(Doubling)
  @QueueHandler(transactional, { transactional: true })
  async transactional({ id }: Order, { manager }: TransactionalJobContext): Promise<number> {
    await manager.query(`INSERT INTO note (id, text) VALUES (${id}, 'kept')`);
    return id;
  }

  @QueueHandler(streamed)
  streamed({ id }: Order): Observable<number> | Promise<Observable<number>> {
    return id === 1 ? of(1, 2, 3) : Promise.resolve(concat(of(1), id === 2 ? of(4) : throwError(() => new Error('5'))));
  }
}
