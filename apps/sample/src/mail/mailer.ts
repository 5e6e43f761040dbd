import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { type JobPayload, UnrecoverableJobError } from '@tablequeue/typeorm';

import { logOrder } from '../journal.js';
import { sendMail } from './mail.jobs.js';

/** Simulates a mail service. */
@Injectable()
export class Mailer {
  @QueueHandler(sendMail)
  send({ orderId, to, template }: JobPayload<typeof sendMail>): void {
    if (to.endsWith('.invalid')) {
      // A retry would not help, so the job fails at once.
      throw new UnrecoverableJobError(`550 There is no mailbox ${to}.`);
    }
    logOrder(orderId, `mail "${template}" sent to ${to}`);
  }
}
