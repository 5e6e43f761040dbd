import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import { OnQueueEvent, type QueueEvent, UnsupportedListenerError } from '@tablequeue/nestjs';
import { InvalidNameError, InvalidOptionError, UnknownOptionError, defineJob } from '@tablequeue/typeorm';

const act = defineJob('act', { queue: 'deeds' });

class Journal {}

describe('@OnQueueEvent', () => {
  const decorate =
    (event: unknown, only?: unknown, target: object = Journal.prototype, property: string | symbol = 'x') =>
    () =>
      OnQueueEvent(event as 'failed', only as typeof act)(target, property, { value: () => undefined });

  test('refuses what it cannot mean', () => {
    expect(decorate('fallen')).toThrow(InvalidOptionError);
    expect(decorate('fallen')).toThrow(/"@OnQueueEvent of Journal.x" is 'fallen', but must be one of started/);
    expect(decorate('failed', 'mail')).toThrow(
      /"@OnQueueEvent of Journal.x" is 'mail'.*a job definition, as defineJob returns it/,
    );
    expect(decorate('failed', null)).toThrow(InvalidOptionError);
    expect(decorate('failed', { queue: 'mail', job: 'x' })).toThrow(UnknownOptionError);
    expect(decorate('failed', { queue: '' })).toThrow(InvalidNameError);
    expect(decorate('failed', act, Journal)).toThrow(UnsupportedListenerError);
    expect(decorate('failed', act, Journal.prototype, Symbol('x'))).toThrow(UnsupportedListenerError);
  });

  test('an event that the method does not accept is a compile error', () => {
    class Wrong {
      // @ts-expect-error -- it has no error
      @OnQueueEvent('succeeded')
      succeeded(_event: { error: Error }): void {}

      // @ts-expect-error -- it has no job
      @OnQueueEvent('drained')
      drained({ job }: { job: { id: string } }): string {
        return job.id;
      }

      @OnQueueEvent('failed')
      // @ts-expect-error -- this one has no error
      @OnQueueEvent('started')
      both(_event: QueueEvent<'failed'>): void {}

      @OnQueueEvent('failed', act)
      right({ job, error, queue }: QueueEvent<'failed'>): string {
        return job.id + error.message + queue;
      }
    }
    expect(Wrong).toBeDefined();
    // @ts-expect-error -- no such event
    expect(() => OnQueueEvent('fallen')).toBeDefined();
  });
});
