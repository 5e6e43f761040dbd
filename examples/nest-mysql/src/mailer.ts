import { Injectable, Logger } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import type { JobContext, JobPayload } from '@tablequeue/typeorm';

import { sendReceipt } from './jobs.js';

@Injectable()
export class Mailer {
  private readonly logger = new Logger(Mailer.name);

  @QueueHandler(sendReceipt)
  async send({ order, email }: JobPayload<typeof sendReceipt>, job: JobContext): Promise<void> {
    // A mail can be sent twice if the process dies here. Pass job.id to your mail provider, if it accepts a key.
    this.logger.log(`receipt of order ${order} to ${email}, attempt ${job.attempt}`);
  }
}
