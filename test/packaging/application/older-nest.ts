import { deepStrictEqual } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';

import { type CanActivate, Injectable, type OnModuleDestroy, type Type, UseGuards, UsePipes } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';

/* What Nest 10 and 11 do in their own way, and an application must not notice. See test/nest/older-nest.spec.ts. */

const first = defineJob<string>('text.first');
const second = defineJob<string>('text.second');
const hold = defineJob('hold');

/** What has happened, in order. */
const events: string[] = [];

@Injectable()
class Guard implements CanActivate {
  canActivate(): boolean {
    events.push('guard');
    return true;
  }
}

/** All have one name. */
function textHandler(definition: typeof first, word: string): Type {
  @Injectable()
  class TextHandler {
    @UseGuards(Guard)
    @UsePipes({ transform: (text: string) => `${text} ${word}` })
    @QueueHandler(definition)
    handle(text: string): string {
      return text;
    }
  }
  return TextHandler;
}

@Injectable()
class Client implements OnModuleDestroy {
  @QueueHandler(hold)
  async hold(): Promise<void> {
    events.push('job starts');
    await sleep(100);
    events.push('job ends');
  }

  onModuleDestroy(): void {
    events.push('client closes');
  }
}

export const handlers: Type[] = [textHandler(first, 'one'), textHandler(second, 'two'), Client];

/** Handlers have their own guards and pipes. */
export async function checkEnhancers(queue: TableQueue): Promise<void> {
  const results: unknown[] = [];
  for (const definition of [first, second]) {
    const { id } = await queue.enqueue(definition, 'text');
    results.push(await queue.waitFor(id));
  }
  deepStrictEqual(
    [results, events.splice(0)],
    [
      ['text one', 'text two'],
      ['guard', 'guard'],
    ],
  );
}

/** A running job ends before what it uses is closed. */
export async function checkStop(queue: TableQueue, close: () => Promise<void>): Promise<void> {
  await queue.enqueue(hold);
  while (events.length === 0) {
    await sleep(10);
  }
  await close();
  deepStrictEqual(events, ['job starts', 'job ends', 'client closes']);
}
