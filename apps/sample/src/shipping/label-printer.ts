import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import type { JobContext, JobPayload } from '@tablequeue/typeorm';

import { logOrder } from '../journal.js';
import { printLabel } from './shipping.jobs.js';

const SLOW = 3_000;

@Injectable()
export class LabelPrinter {
  @QueueHandler(printLabel)
  async print({ orderId }: JobPayload<typeof printLabel>, job: JobContext): Promise<string> {
    logOrder(orderId, 'label: being printed, slowly');
    job.log.info('printing', { orderId, seconds: SLOW / 1_000 });
    await sleep(SLOW, undefined, { signal: job.signal });
    logOrder(orderId, 'label: printed');
    const file = `label-${orderId}.pdf`;
    job.log.info('printed', { file });
    return file;
  }
}
