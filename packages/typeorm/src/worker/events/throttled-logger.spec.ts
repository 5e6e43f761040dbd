import { expect, test } from '@jest/globals';

import { DatabaseUnavailableError } from '../../errors/index.js';
import { type QueueLogger, logError } from '../../logger.js';
import { ThrottledLogger } from './throttled-logger.js';

function recorded(): { lines: string[]; log: ThrottledLogger } {
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message.replace(/:.*/s, ''));
  const logger: QueueLogger = { log: note, warn: note, error: note };
  return { lines, log: new ThrottledLogger(logger) };
}

const away = () => new DatabaseUnavailableError('claim jobs', new Error('gone'));

test('logs each kind of error once during an outage, and its end', () => {
  const { lines, log } = recorded();
  log.onDatabaseBack();
  for (let time = 0; time < 100; time++) {
    logError(log, 'A claim failed', away());
    logError(log, 'The lease could not be renewed', away());
  }
  expect(lines).toEqual(['A claim failed', 'The lease could not be renewed']);
  log.onDatabaseBack();
  log.onDatabaseBack();
  expect(lines.slice(2)).toEqual([expect.stringMatching(/works again after .* s\. 198 more errors/)]);
  logError(log, 'A claim failed', away());
  expect(lines.slice(3)).toEqual(['A claim failed']);
});

test('suppresses nothing else', () => {
  const { lines, log } = recorded();
  for (let time = 0; time < 3; time++) {
    logError(log, 'A claim failed', new Error('of another kind'));
    log.warn('a warning');
  }
  expect(lines).toHaveLength(6);
});
