import 'reflect-metadata';

import { Injectable } from '@nestjs/common';
import { OnQueueEvent, type QueueEvent, QueueHandler } from '@tablequeue/nestjs';
import { type JobContext, SnoozeJobError, UnrecoverableJobError, defineJob, fixed } from '@tablequeue/typeorm';

export type Deed = 'succeed' | 'fail' | 'retry' | 'snooze' | 'wait';
export const act = defineJob<Deed>('act', { queue: 'deeds', retry: { attempts: 2, backoff: fixed(0) } });
export const other = defineJob('other', { queue: 'others' });

/** Handlers whose outcome is the payload. */
@Injectable()
export class Deeds {
  readonly began = new Set<string>();

  @QueueHandler(act)
  async act(deed: Deed, { id, signal, attempt }: JobContext): Promise<void> {
    this.began.add(id);
    if (deed === 'fail') {
      throw new UnrecoverableJobError('never');
    }
    if (attempt === 1 && deed === 'retry') {
      throw new Error('not now');
    }
    if (attempt === 1 && deed === 'snooze') {
      throw new SnoozeJobError('1h');
    }
    if (deed === 'wait') {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }
  }

  @QueueHandler(other)
  other(): void {}
}

/** The events that the listeners of `Journal` received. A test empties it. */
export const received: string[] = [];

/** Listeners of all kinds. */
@Injectable()
export class Journal {
  constructor(private readonly deeds: Deeds) {}

  @OnQueueEvent('started')
  started({ job, queue }: QueueEvent<'started'>): void {
    // A method of an instance with injected dependencies.
    received.push(`${queue}: ${job.name} started, ${this.deeds.began.size >= 0}`);
  }

  @OnQueueEvent('succeeded', act)
  @OnQueueEvent('cancelled', act)
  @OnQueueEvent('stalled', act)
  ended({ type, job }: QueueEvent<'succeeded' | 'cancelled' | 'stalled'>): void {
    received.push(`${job.name} ${type}`);
  }

  @OnQueueEvent('failed', { queue: 'deeds' })
  failed({ error }: QueueEvent<'failed'>): void {
    received.push(`failed: ${error.message}`);
  }

  @OnQueueEvent('retried')
  retried({ error, delay }: QueueEvent<'retried'>): void {
    received.push(`retried in ${delay}: ${error.message}`);
  }

  @OnQueueEvent('snoozed')
  snoozed({ delay }: QueueEvent<'snoozed'>): void {
    received.push(`snoozed for ${delay}`);
  }

  @OnQueueEvent('drained', act)
  drained({ queue }: QueueEvent<'drained'>): void {
    received.push(`drained ${queue}`);
  }
}
