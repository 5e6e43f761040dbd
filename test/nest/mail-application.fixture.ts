import 'reflect-metadata';

import { afterEach } from '@jest/globals';
import { type INestApplication, Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { TableQueue, defineJob } from '@tablequeue/typeorm';

import { type NestAppOptions, startNestApp } from '../support/nest-app.js';
import { useDatabase } from '../support/use-database.js';

export interface Mail {
  readonly to: string;
}

export const send = defineJob<Mail>('mail.send', { queue: 'mail' });
export const report = defineJob<Mail>('mail.report', { queue: 'mail' });

@Injectable()
export class Mailer {
  protected greeting = 'Dear';

  @QueueHandler(send)
  send({ to }: Mail): string {
    return `${this.greeting} ${to}`;
  }
}

export async function resultOf(queue: TableQueue, definition = send): Promise<unknown> {
  return queue.waitFor((await queue.enqueue(definition, { to: 'Ada' })).id);
}

/** Applications of a test file, each closed after its test. */
export function useMailApplications() {
  let app: INestApplication | undefined;
  const database = useDatabase('sqlite');
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  async function start(options: NestAppOptions): Promise<TableQueue> {
    app = await startNestApp(database, options);
    return app.get(TableQueue);
  }

  return {
    start,
    /** What the start fails with. */
    failure: (options: NestAppOptions): Promise<Error> =>
      start(options).then(
        () => new Error('it started'),
        (error: Error) => error,
      ),
    app: () => app!,
    database,
  };
}
