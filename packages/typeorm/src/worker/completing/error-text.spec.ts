import { runInNewContext } from 'node:vm';

import { expect, test } from '@jest/globals';

import { messageOf, toError } from '../../errors/thrown.js';
import { errorText } from './error-text.js';

function textOf(thrown: unknown): string {
  return errorText(toError(thrown));
}

/** @returns a value that throws at each use. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test.each<[string, unknown, string]>([
  [
    'an object',
    { code: 'E_LIMIT', status: 429 },
    "A value that is no Error was thrown: { code: 'E_LIMIT', status: 429 }",
  ],
  ['a string', 'limit', 'A value that is no Error was thrown: limit'],
  ['undefined', undefined, 'A value that is no Error was thrown: undefined'],
  ['a symbol', Symbol('limit'), 'A value that is no Error was thrown: Symbol(limit)'],
  ['a revoked proxy', revoked(), 'A value that is no Error'],
  [
    'an object that throws at each use',
    new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error('no');
        },
      },
    ),
    'A value that',
  ],
])('%s', (_what, thrown, expected) => {
  const text = textOf(thrown);
  expect(text).toContain(expected);
  expect(text).not.toContain('caused by');
  expect(messageOf(thrown)).toContain(expected);
});

test('an error of another realm is an error', () => {
  const thrown: unknown = runInNewContext("new TypeError('from afar')");
  expect(toError(thrown)).toBe(thrown);
  expect(textOf(thrown)).toMatch(/^TypeError: from afar\n +at /);
});

test('the errors of an AggregateError, and all causes', () => {
  const refused = new Error('refused', { cause: { port: 3306 } });
  const text = textOf(new AggregateError([refused, 'away'], 'All servers failed', { cause: new Error('no network') }));
  const lines = text.split('\n').filter((line) => !/^ +at /.test(line));
  expect(lines).toEqual([
    'AggregateError: All servers failed',
    'one of its errors: Error: refused',
    'caused by: { port: 3306 }',
    'one of its errors: away',
    'caused by: Error: no network',
  ]);
});

test('a revoked proxy as the cause', () => {
  expect(textOf(new Error('broken', { cause: revoked() }))).toMatch(/^Error: broken\n/);
});

test('an error that is its own cause', () => {
  const error = new Error('round');
  error.cause = error;
  expect(textOf(error).match(/round/g)).toHaveLength(8);
});

test('the current message, if it was set after the stack', () => {
  const error = new Error('');
  error.message = 'set later';
  error.name = 'LateError';
  expect(textOf(error)).toMatch(/^LateError: set later\n +at /);
});
