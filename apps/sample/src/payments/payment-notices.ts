import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { QueueHandler } from '@tablequeue/nestjs';
import type { JobContext, JobPayload } from '@tablequeue/typeorm';

import { tell } from '../journal.js';
import { sendPaymentNotice } from './payment.jobs.js';

@Injectable()
export class PaymentNotices {
  constructor(private readonly host: HttpAdapterHost) {}

  @QueueHandler(sendPaymentNotice)
  async send(notice: JobPayload<typeof sendPaymentNotice>, job: JobContext): Promise<void> {
    const response = await fetch(new URL('/receiver/notices', this.receiver()), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': job.id },
      body: JSON.stringify(notice),
      signal: AbortSignal.any([job.signal, AbortSignal.timeout(5_000)]),
    });
    if (!response.ok) {
      tell(notice.orderId, `payment notice, attempt ${job.attempt}: the receiver answered ${response.status}`);
      throw new Error(`The receiver answered ${response.status}.`);
    }
    tell(notice.orderId, `payment notice, attempt ${job.attempt}: delivered`);
  }

  /** The seller's system stands in this application, to have one at all: see `receiver.controller.ts`. */
  private receiver(): string {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    const { port } = server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }
}
