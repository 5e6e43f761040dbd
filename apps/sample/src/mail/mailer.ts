import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import type { JobPayload } from '@tablequeue/typeorm';

import { tell } from '../journal.js';
import { sendMail } from './mail.jobs.js';

/** Stands for a mail service; it only prints. */
@Injectable()
export class Mailer {
  @QueueHandler(sendMail)
  send({ orderId, to, template }: JobPayload<typeof sendMail>): void {
    tell(orderId, `mail "${template}" sent to ${to}`);
  }
}
