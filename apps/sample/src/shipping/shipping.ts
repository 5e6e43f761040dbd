import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';
import { type DurableJobContext, type JobPayload, TableQueue, child } from '@tablequeue/typeorm';

import { logOrder } from '../journal.js';
import { sendMail } from '../mail/mail.jobs.js';
import { Order } from '../orders/order.entity.js';
import { orderKey } from '../orders/order.jobs.js';
import { EXPENSIVE, shipOrder, printLabel, released } from './shipping.jobs.js';

/** How long packing takes, in ms. */
const PACKING = 1_000;
const TIME_TO_RELEASE = '1m';
/** How long after its shipping a customer is asked for a review. Short for the demo. */
const TIME_TO_REVIEW = '5s';

@Injectable()
export class Shipping {
  constructor(private readonly queue: TableQueue) {}

  /** Kill a worker while it runs: another one goes on behind the last step that is stored. */
  @QueueHandler(shipOrder)
  async ship({ orderId, email, cents }: JobPayload<typeof shipOrder>, job: DurableJobContext): Promise<string> {
    const key = orderKey(orderId);
    await job.step('pack', async (step) => {
      await sleep(PACKING, undefined, { signal: step.signal });
      logOrder(orderId, 'packed');
    });
    if (cents >= EXPENSIVE) {
      // It holds no worker meanwhile. Send the signal on the dashboard, on the page of the job.
      const release = await job.waitForSignal(released, { timeout: TIME_TO_RELEASE });
      await job.step('log the release', () => logOrder(orderId, `released by ${release?.data.by ?? 'the clock'}`));
    }
    const label = await job.run<string>('label', child(printLabel, { orderId }, { key }));
    await job.step('mark as shipped', (manager) => manager.update(Order, orderId, { status: 'shipped' }), {
      transactional: true,
    });
    await job.sleep(TIME_TO_REVIEW);
    // The mail is enqueued in the commit that stores the step: exactly once.
    await job.step(
      'ask for a review',
      (manager) => this.queue.enqueue(sendMail, { orderId, to: email, template: 'review' }, { manager, key }),
      { transactional: true },
    );
    return label;
  }
}
