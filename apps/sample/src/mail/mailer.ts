import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { type JobPayload, UnrecoverableJobError } from '@tablequeue/typeorm';

import { tell } from '../journal.js';
import { sendMail } from './mail.jobs.js';

/** Stands for a mail service. */
@Injectable()
export class Mailer {
  @QueueHandler(sendMail)
  send({ orderId, to, template }: JobPayload<typeof sendMail>): void {
    if (to.endsWith('.invalid')) {
      // Another try would not help: the job fails at once, for somebody to look at.
      throw new UnrecoverableJobError(`550 There is no mailbox ${to}.`);
    }
    tell(orderId, `mail "${template}" sent to ${to}`);
  }
}
