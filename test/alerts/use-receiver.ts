import { afterAll, afterEach, beforeAll } from '@jest/globals';

import { WebhookReceiver } from '../support/webhook-receiver.js';

/** A receiver for the tests of a file, which forgets between them. */
export function useReceiver(): () => WebhookReceiver {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => receiver.forget());
  afterAll(() => receiver.stop());
  return () => receiver;
}
