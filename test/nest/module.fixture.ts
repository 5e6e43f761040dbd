import 'reflect-metadata';

import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { QueueHandler } from '@tablequeue/nestjs';
import { type JobContext, TableQueue, type TransactionalJobContext, defineJob, fixed } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { Note } from '../support/note.js';

export const keepNote = defineJob<{ id: number; text: string }>('note.keep', {
  retry: { attempts: 3, backoff: fixed('5s') },
});
export const moveNote = defineJob<{ id: number; text: string }>('note.move', { retry: { attempts: 1 } });
export const hold = defineJob('hold');

/** A service with three handlers: one can fail, one is transactional, one waits for `letGo`. */
@Injectable()
export class Notes {
  readonly failing = new Set<number>();
  readonly runs: JobContext[] = [];
  private readonly holding: (() => void)[] = [];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly queue: TableQueue,
  ) {}

  order(id: number, text: string): Promise<unknown> {
    return this.dataSource.transaction((manager) => this.queue.enqueue(keepNote, { id, text }, { manager }));
  }

  @QueueHandler(keepNote)
  async keep({ id, text }: { id: number; text: string }, job: JobContext): Promise<string> {
    this.runs.push(job);
    if (this.failing.delete(id)) {
      throw new Error('not now');
    }
    await this.dataSource.getRepository(Note).insert({ id, text });
    return text;
  }

  @QueueHandler(moveNote, { transactional: true })
  async move({ id, text }: { id: number; text: string }, { manager }: TransactionalJobContext): Promise<void> {
    await manager.insert(Note, { id, text });
    if (this.failing.has(id)) {
      throw new Error('in the middle');
    }
  }

  @QueueHandler(hold)
  async hold(): Promise<void> {
    await new Promise<void>((resolve) => this.holding.push(resolve));
    // Enqueueing works until the end, also while the application closes.
    await this.queue.enqueue(keepNote, { id: 99, text: 'from a handler' }, { key: 'from-a-handler' });
  }

  get held(): number {
    return this.holding.length;
  }

  letGo(): void {
    this.holding.splice(0).forEach((resolve) => resolve());
  }
}
