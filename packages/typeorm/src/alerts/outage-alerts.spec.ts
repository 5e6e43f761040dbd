import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, test } from '@jest/globals';

import { unredacted } from '../redaction.js';
import type { AlertMessage } from './alert-message.js';
import { resolveAlerts } from './alert-options.js';
import { OutageAlerts } from './outage-alerts.js';

test('an outage is sent once, again after an answer of 500, and resolved; the next one of the hour is not sent', async () => {
  const messages: AlertMessage[] = [];
  const answers = [500];
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      messages.push((JSON.parse(body) as { data: AlertMessage }).data);
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/secret-path`;
  const rules = { away: { kinds: ['database-down'] } } as const;
  const logger = { log: line, warn: line, error: line };
  const outage = new OutageAlerts(resolveAlerts({ webhooks: { own: { url } }, rules }), logger, unredacted);
  try {
    await outage.onAway(AbortSignal.abort());
    expect({ messages, lines }).toEqual({ messages: [], lines: [] });
    await outage.onAway();
    await outage.onAway();
    await outage.onAway();
    expect(messages.map(({ opened }) => opened.map(({ kind }) => kind))).toEqual([
      ['database-down'],
      ['database-down'],
    ]);
    expect(lines.join('\n')).toMatch(/answered 500/);
    expect(lines.join('\n')).not.toContain('secret-path');
    await outage.onBack();
    await outage.onBack();
    expect(messages).toHaveLength(3);
    expect(messages[2]).toMatchObject({ opened: [], resolved: [{ rule: 'away', kind: 'database-down' }] });
    await outage.onAway();
    await outage.onBack();
    expect(messages).toHaveLength(3);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
