import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import type { JobContext, JobPayload } from '@tablequeue/typeorm';

import { logOrder } from '../journal.js';
import { writeInvoice } from './invoice.jobs.js';

const SLOW = 3_000;

@Injectable()
export class InvoiceWriter {
  @QueueHandler(writeInvoice)
  async write({ orderId }: JobPayload<typeof writeInvoice>, job: JobContext): Promise<{ file: string }> {
    logOrder(orderId, 'invoice: being written, slowly');
    await sleep(SLOW, undefined, { signal: job.signal });
    logOrder(orderId, 'invoice: written');
    return { file: `invoice-${orderId}.pdf` };
  }
}
