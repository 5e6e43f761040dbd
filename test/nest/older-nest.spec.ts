import 'reflect-metadata';

import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Controller, Injectable, Module, type PipeTransform, type Type, UseGuards, UsePipes } from '@nestjs/common';
import { ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import { HandlerMetadataStorage } from '@nestjs/core/helpers/handler-metadata-storage.js';
import { callModuleDestroyHook } from '@nestjs/core/hooks/index.js';
import { QueueHandler, UnreachableHandlerError } from '@tablequeue/nestjs';
import { type JobContext, defineJob } from '@tablequeue/typeorm';

import { waitFor } from '../support/wait-for.js';
import { type Mail, report, resultOf, send, useMailApplications } from './mail-application.fixture.js';

/* What Nest 10 and 11 do differently is imitated here. test/packaging runs an application with each of them. */

const { start, failure, app } = useMailApplications();
const { prototype: creator } = ExternalContextCreator as unknown as { prototype: { getHostModuleKey: unknown } };
const { getHostModuleKey } = creator;
afterEach(() => {
  jest.restoreAllMocks();
  creator.getHostModuleKey = getHostModuleKey;
});

/** Adds a word to the payload. */
function adding(word: string): PipeTransform<Mail> {
  return { transform: ({ to }) => ({ to: `${to} ${word}` }) };
}

/** Nest 10 and 11 keep the metadata of handlers by the name of the class, unless it has an id. */
function keepMetadataByName(): void {
  const kept = new Map<string, unknown>();
  const keyOf = ({ constructor }: object, method: string) =>
    ((constructor as { CONTROLLER_ID?: string }).CONTROLLER_ID ?? constructor.name) + method;
  jest
    .spyOn(HandlerMetadataStorage.prototype, 'get')
    .mockImplementation((instance, method) => kept.get(keyOf(instance as object, method)) as never);
  jest
    .spyOn(HandlerMetadataStorage.prototype, 'set')
    .mockImplementation((instance, method, metadata) => void kept.set(keyOf(instance as object, method), metadata));
}

describe('handlers whose class and method have the same names', () => {
  // Its metadata is made first, and without arguments.
  const guarded = (): Type => {
    @Injectable()
    class SyncHandler {
      @UseGuards({ canActivate: () => true })
      @QueueHandler(send)
      handle({ to }: Mail): string {
        return to;
      }
    }
    return SyncHandler;
  };
  const piped = (): Type => {
    @Injectable()
    class SyncHandler {
      @UsePipes(adding('piped'))
      @QueueHandler(report)
      handle({ to }: Mail): string {
        return to;
      }
    }
    return SyncHandler;
  };

  test('keep their own pipes', async () => {
    keepMetadataByName();
    const queue = await start({ providers: [guarded(), { provide: 'REPORTS', useClass: piped() }] });
    expect(await resultOf(queue, send)).toBe('Ada');
    expect(await resultOf(queue, report)).toBe('Ada piped');
  });

  test('keep them where a class inherits the id of a controller', async () => {
    keepMetadataByName();
    @Controller()
    class Base {
      @UsePipes(adding('base'))
      @QueueHandler(send)
      handle({ to }: Mail): string {
        return to;
      }
    }
    @Injectable()
    class Child extends Base {
      @UsePipes(adding('child'))
      @QueueHandler(report)
      override handle({ to }: Mail): string {
        return to;
      }
    }
    const queue = await start({ controllers: [Base], providers: [Child] });
    expect(await resultOf(queue, send)).toBe('Ada base');
    expect(await resultOf(queue, report)).toBe('Ada child');
    // Nest defines it again if another application lists the class as a controller.
    expect(Object.getOwnPropertyDescriptor(Child, 'CONTROLLER_ID')).toMatchObject({ configurable: true });
  });
});

describe('a Nest that finds the module of a handler by its class only', () => {
  @Injectable()
  class Never {
    canActivate(): boolean {
      return false;
    }
  }
  @Injectable()
  class Mailer {
    @UseGuards(Never)
    @QueueHandler(send)
    send(): void {}
  }
  @Module({ providers: [Mailer] })
  class FirstModule {}

  test('does not skip the guards of a handler that is provided by another token: the start fails', async () => {
    delete (creator as Partial<typeof creator>).getHostModuleKey;
    const other = { provide: 'MAILER', useClass: Mailer };
    const error = await failure({ providers: [other] });
    expect(error).toBeInstanceOf(UnreachableHandlerError);
    expect(error.message).toContain('Never around the queue handler Mailer.send (AppModule, provided as MAILER)');
    const inTwo = await failure({ imports: [FirstModule], providers: [other] });
    expect(inTwo).toBeInstanceOf(UnreachableHandlerError);
  });

  test('runs those of a class in `providers`', async () => {
    // Nest 12 calls it, so it is only hidden from what asks whether it is there.
    delete (creator as Partial<typeof creator>).getHostModuleKey;
    jest.spyOn(ExternalContextCreator.prototype, 'create').mockReturnValue(() => Promise.resolve('created'));
    expect(await resultOf(await start({ providers: [Mailer] }))).toBe('created');
  });
});

test('where Nest stops modules in the order of the start, the queue still stops first', async () => {
  const events: string[] = [];
  const hold = defineJob('mail.hold', { queue: 'mail' });
  let held: (() => void) | undefined;
  const clientOf = (name: string): Type => {
    @Injectable()
    class Client {
      onModuleDestroy(): void {
        events.push(`${name} closes`);
      }
    }
    return Client;
  };
  @Injectable()
  class Holder {
    @QueueHandler(hold)
    async hold(_payload: void, _job: JobContext): Promise<void> {
      await new Promise<void>((resolve) => (held = resolve));
      events.push('job ends');
    }
  }
  @Module({ providers: [clientOf('inner client')] })
  class ClientModule {}
  const queue = await start({ imports: [ClientModule], providers: [Holder, clientOf('client')] });
  await queue.enqueue(hold);
  await waitFor('it runs', () => held);

  const modules = [...app().get(ModulesContainer).values()].sort((one, other) => other.distance - one.distance);
  setTimeout(() => held!(), 50);
  for (const module of modules) {
    await callModuleDestroyHook(module);
  }
  expect(events).toEqual(['job ends', 'inner client closes', 'client closes']);
});
