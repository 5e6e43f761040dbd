import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, jest, test } from '@jest/globals';

import { resolveAlerts } from './alert-options.js';
import { sendWebhook } from './send-webhook.js';

const MESSAGE = { evaluatedAt: '2026-01-01T00:00:00.000Z', opened: [], resolved: [], leftOut: 0, pausedUntil: null };

/** Sends a message to a receiver, and returns the error and the paths that were asked for. */
async function sendTo(receive: RequestListener) {
  const paths: (string | undefined)[] = [];
  const receiver = createServer((request, response) => {
    paths.push(request.url);
    receive(request, response);
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/secret-path`;
  const webhook = resolveAlerts({ webhooks: { own: { url } } }).webhooks.get('own')!;
  try {
    const error: unknown = await sendWebhook(webhook, MESSAGE, 'id').catch((thrown: unknown) => thrown);
    return { text: String(error), paths };
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

test('a redirect is not followed', async () => {
  const { text, paths } = await sendTo((_request, response) =>
    response.writeHead(307, { location: '/elsewhere' }).end(),
  );
  expect(text).toMatch(/webhook "own": its receiver answered 307/);
  expect(paths).toEqual(['/secret-path']);
});

test('an answer whose body never ends is enough', async () => {
  const { text } = await sendTo((_request, response) => response.writeHead(200).write('…'));
  expect(text).toBe('undefined');
});

test('an error of a connection that breaks has no address', async () => {
  const { text } = await sendTo((request) => request.socket.destroy());
  expect(text).toMatch(/webhook "own": (UND_ERR_SOCKET|ECONNRESET)\./);
  expect(text).not.toMatch(/secret-path|127\.0\.0\.1/);
});

test('a receiver that does not answer is given up after 10 s', async () => {
  const soon = AbortSignal.timeout(20);
  const late = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(soon);
  const { text } = await sendTo(() => undefined);
  expect(late.mock.calls).toEqual([[10_000]]);
  late.mockRestore();
  expect(text).toMatch(/webhook "own": TimeoutError\./);
});
