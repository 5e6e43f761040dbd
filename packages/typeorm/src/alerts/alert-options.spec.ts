import { expect, test } from '@jest/globals';

import { resolveWorkerOptions } from '../worker/worker-options.js';
import { bodyOf } from './alert-message.js';
import { type AlertOptions, resolveAlerts } from './alert-options.js';
import { matchingRule } from './match-rules.js';

const URL = 'https://hooks.example.org/T0/B0/secret-path';
const withWebhook = (webhook: object, options: object = {}) =>
  resolveAlerts({ webhooks: { team: { url: URL, ...webhook } }, ...options });

test('the defaults', () => {
  const { rules, interval, maxMessages, webhooks } = withWebhook({});
  expect(rules.map(({ name, holdFor }) => `${name} ${holdFor}`)).toEqual(['critical 120000', 'warning 900000']);
  expect(rules[0]?.kinds).not.toContain('maintenance-overdue');
  expect({ interval, maxMessages }).toEqual({ interval: 30_000, maxMessages: 20 });
  expect(webhooks.get('team')).toMatchObject({ format: 'standard', key: undefined });
});

test.each<[webhook: object, options: object, message: RegExp]>([
  [{ url: 'ftp://secret-path' }, {}, /"alerts\.webhooks\.team\.url"/],
  [{ url: 'https://user:secret-path@example.org' }, {}, /without user and password/],
  [{ format: 'discord' }, {}, /"alerts\.webhooks\.team\.format" is 'discord'/],
  [{ secret: 'secret-path' }, {}, /whsec_/],
  [{ secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, {}, /24 to 64 bytes/],
  [{ format: 'slack', secret: 'secret-path' }, {}, /no signature/],
  [{}, { webhooks: {} }, /"alerts\.webhooks"/],
  [{}, { webhooks: { 'https://secret-path': { url: URL } } }, /"alerts\.webhooks"/],
  [{}, { webhooks: { team: 'https://secret-path' } }, /"alerts\.webhooks\.team"/],
  [{}, { rules: { late: { kinds: ['lease-lost'] } } }, /"alerts\.rules\.late\.kinds"/],
  [{}, { rules: { late: { kinds: ['maintenance-overdue'] } } }, /"alerts\.rules\.late\.kinds"/],
  [{}, { rules: { late: 'https://secret-path' } }, /"alerts\.rules\.late" is 'string'/],
  [{ 'https://secret-path': true }, {}, /"alerts\.webhooks\.team" is 'an object with 2 names'/],
  [{}, { rules: { late: { severity: 'bad' } } }, /"alerts\.rules\.late\.severity" is 'bad'/],
  [{}, { rules: { late: { queues: [] } } }, /"alerts\.rules\.late\.queues"/],
  [{}, { rules: { 'a b': {} } }, /"alerts\.rules"/],
  [{}, { rules: { late: { for: 'soon' } } }, /"alerts\.rules\.late\.for"/],
  [{}, { interval: 99 }, /"alerts\.interval" is 99/],
  [{}, { maxMessages: 0 }, /"alerts\.maxMessages" is 0/],
  [{}, { maxBacklogAge: 'long' }, /"maxBacklogAge"/],
  [{}, { every: '1s' }, /"alerts\.every"/],
])('%j with %j is refused, without the address', (webhook, options, message) => {
  expect(() => withWebhook(webhook, options)).toThrow(message);
  expect(() => withWebhook(webhook, options)).not.toThrow(/secret-path/);
});

test.each<[alerts: unknown, shape: string]>([
  [URL, 'string'],
  [[{ url: URL }], 'object'],
  [{ [URL]: {} }, 'an object with 1 names'],
])('%j in place of options is refused, without the address', (alerts, shape) => {
  const resolve = () => resolveAlerts(alerts as AlertOptions);
  expect(resolve).toThrow(`The option "alerts" is '${shape}', but must be an object with options: webhooks, rules,`);
  expect(resolve).not.toThrow(/secret-path/);
});

test('webhooks that hang take two slots of a worker, unless its options have another number', () => {
  const slots = (queues: Record<string, { concurrency: number }>) =>
    resolveWorkerOptions({ queues }).settingsOf('tablequeue.alerts').concurrency;
  expect(slots({})).toBe(2);
  expect(slots({ 'tablequeue.alerts': { concurrency: 5 } })).toBe(5);
});

test('the first rule that matches a problem counts', () => {
  const { rules } = withWebhook({}, { rules: { mail: { queues: ['mail'] }, bad: { severity: 'warning' } } });
  const nameOf = (severity: 'critical' | 'notice', queues: string[]) =>
    matchingRule(rules, { kind: 'late-backlog', severity, queues })?.name;
  expect(nameOf('notice', ['other', 'mail'])).toBe('mail');
  expect(nameOf('critical', ['other'])).toBe('bad');
  expect(nameOf('notice', ['other'])).toBeUndefined();
});

test('a text for Slack counts the alerts without a message, and escapes', () => {
  const resolved = [{ rule: 'a', kind: 'no-worker', openedAt: '2026-01-01T00:00:00.000Z' } as const];
  const evaluatedAt = '2026-01-01T00:01:00.000Z';
  const message = { evaluatedAt, opened: [], resolved, leftOut: 2, pausedUntil: '<!channel> @all' };
  expect(JSON.parse(bodyOf('slack', message))).toEqual({
    text:
      '*resolved*: no-worker, reported at 2026-01-01T00:00:00.000Z.\n' +
      '2 alerts began and ended without a message: there were too many.\n' +
      'There were too many messages. The next one follows after &lt;!channel&gt; @\u200Ball.',
  });
});
