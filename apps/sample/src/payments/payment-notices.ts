import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import type { JobContext, JobPayload } from '@tablequeue/typeorm';

import { logOrder } from '../journal.js';
import { sendPaymentNotice } from './payment.jobs.js';

@Injectable()
export class PaymentNotices {
  @QueueHandler(sendPaymentNotice)
  async send(notice: JobPayload<typeof sendPaymentNotice>, job: JobContext): Promise<void> {
    const response = await fetch(process.env.RECEIVER_URL!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': job.id },
      body: JSON.stringify(notice),
      signal: AbortSignal.any([job.signal, AbortSignal.timeout(5_000)]),
    });
    if (!response.ok) {
      logOrder(notice.orderId, `payment notice, attempt ${job.attempt}: the receiver answered ${response.status}`);
      throw new Error(`The receiver answered ${response.status}.`);
    }
    logOrder(notice.orderId, `payment notice, attempt ${job.attempt}: delivered`);
  }
}
