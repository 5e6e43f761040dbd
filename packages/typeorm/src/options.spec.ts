import { expect, test } from '@jest/globals';

import { UnknownOptionError } from './errors/index.js';
import { seeDocs } from './errors/see-docs.js';
import { assertKnownOptions } from './options.js';

const KNOWN = ['delay', 'runAt', 'priority', 'key', 'unique', 'tenant'];

function messageFor(option: string): string {
  try {
    assertKnownOptions({ [option]: 1 }, KNOWN);
  } catch (error) {
    expect(error).toBeInstanceOf(UnknownOptionError);
    const { message } = error as Error;
    const link = seeDocs('reference/configuration.md');
    expect(message.endsWith(link)).toBe(true);
    return message.slice(0, -link.length);
  }
  return 'no error';
}

test.each([
  ['attempts', 'Use "retry.attempts" of the job definition.'],
  ['backoff', 'Use "retry.backoff" of the job definition.'],
  ['jobId', 'Use "unique.key" to store a job only once, or "key" to find it.'],
  ['removeOnComplete', 'Use "retention.succeeded" of the worker, or "keep: \'none\'" of the job definition.'],
  ['removeOnFail', 'Use "retention.failed" of the worker.'],
  ['repeat', 'Use "queue.recurring.set".'],
  ['lifo', 'Use "priority": jobs with a smaller number run first.'],
  ['limiter', 'Use "queue.control.limit" with "rate".'],
  ['connection', 'The queue uses the connections of its data source.'],
])('the option %s of another queue names what to use instead', (option, advice) => {
  expect(messageFor(option)).toBe(`There is no option "${option}". ${advice}`);
});

test.each([
  ['dely', 'delay'],
  ['dealy', 'delay'],
  ['runat', 'runAt'],
  ['Priority', 'priority'],
  ['tenants', 'tenant'],
  ['keys', 'key'],
])('a misspelled option %s names the nearest one', (option, nearest) => {
  expect(messageFor(option)).toBe(
    `There is no option "${option}". Did you mean "${nearest}"? The options are: ${KNOWN.join(', ')}.`,
  );
});

test('any other option lists the known ones', () => {
  expect(messageFor('flavor')).toBe(
    'There is no option "flavor". Remove it, or use one of: delay, runAt, priority, key, unique, tenant.',
  );
  expect(messageFor('toString')).toContain('Remove it, or use one of');
});
