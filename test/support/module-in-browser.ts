import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import {
  type JobContext,
  type JobSnapshot,
  type TableQueue,
  UnrecoverableJobError,
  defineJob,
} from '@tablequeue/typeorm';
import type { Page } from 'playwright-core';
import { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { type Look, TestBrowser, type Visit, settled } from './browser.js';
import { DashboardApplication } from './dashboard.js';
import { useDatabase } from './use-database.js';
import { waitFor } from './wait-for.js';

export const mail = defineJob<{ readonly to: string }>('mail.send', { queue: 'mail' });
export const report = defineJob('report.render', { queue: 'reports' });
/** Runs until its signal is aborted. */
export const watch = defineJob('watch', { queue: 'watches' });
/** No worker handles it. */
export const idle = defineJob('idle', { queue: 'idle' });

/** Refuses every mail until the receiver is back. */
@Injectable()
export class Mailer {
  static isReceiverAway = true;

  @QueueHandler(mail)
  send(): void {
    if (Mailer.isReceiverAway) {
      throw new UnrecoverableJobError('451 The receiver is away');
    }
  }

  @QueueHandler(report)
  render(): { readonly pages: number } {
    return { pages: 7 };
  }

  @QueueHandler(watch)
  watch(_nothing: void, { signal, progress }: JobContext): Promise<never> {
    progress(0.4);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }
}

/** An application with the dashboard on a database, and a browser to look at it. */
export interface ModuleInBrowser {
  readonly open: (path: string, look?: Look) => Promise<Visit>;
  readonly queue: () => TableQueue;
  /** Waits until the page has that text. */
  readonly untilNotice: (page: Page, text: string) => Promise<void>;
  readonly untilState: (id: string, state: JobSnapshot['state']) => Promise<void>;
}

/** One application, one database and one browser for all tests of a file; the tables are empty before each. */
export function moduleInBrowser(engine: Engine): ModuleInBrowser {
  let browser: TestBrowser;
  let application: DashboardApplication;
  afterAll(async () => {
    await browser.close();
    await application.close();
  });
  const database = useDatabase(engine);
  beforeAll(async () => {
    [browser, application] = await Promise.all([
      TestBrowser.start(),
      DashboardApplication.start(database, {
        providers: [Mailer],
        dashboard: { public: true, role: () => 'operator', who: () => 'mary' },
        configure: (app) => app.setGlobalPrefix('shop'),
      }),
    ]);
  });
  beforeEach(async () => {
    Mailer.isReceiverAway = true;
    const dataSource = application.app.get(DataSource);
    for (const { tableName } of dataSource.entityMetadatas.filter((each) => each.tableName !== 'tq_worker')) {
      await dataSource.query(`DELETE FROM ${tableName}`);
    }
  });
  afterEach(() => browser.closeVisits());
  const queue = () => application.queue();
  return {
    open: async (path, look) => {
      const visit = await browser.visit(`${application.url}/shop/queues${path}`, look);
      await settled(visit.page);
      return visit;
    },
    queue,
    untilNotice: (page, text) => page.locator('.notices').getByText(text).waitFor(),
    untilState: async (id, state) => {
      await waitFor(`the job has ${state}`, async () => (await queue().find(id))?.state === state);
    },
  };
}
