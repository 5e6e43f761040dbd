import { expect, test } from '@jest/globals';

import { Codecs } from '../../codec/codecs.js';
import { newJobId } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { unredacted } from '../../redaction.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { DropMark, LogLine } from './attempt-log.js';
import { LogWriter } from './log-writer.js';

const ATTEMPTS = 30_000;

test('memory stays bounded while the log cannot be stored, whatever the number of attempts', async () => {
  const logged: string[] = [];
  const logger = { log: () => undefined, warn: () => undefined, error: (message: string) => logged.push(message) };
  const engine = { execute: () => Promise.reject(new Error('no privilege')) } as unknown as Engine;
  const settings = { redact: unredacted, codecs: new Codecs(), logger, maxResultBytes: 1 };
  const writer = new LogWriter(engine, settings, false, () => undefined);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const job = { id: newJobId(), attempt, name: 'mail', payload: 'x' } as unknown as ClaimedJob;
    writer.open(job).info('');
    if (attempt % 10_000 === 0) {
      await writer.flush();
    }
  }
  expect(writer.isFull).toBe(true);
  const waiting = (name: string) => [...(Reflect.get(writer, name) as Iterable<LogLine | DropMark>)];
  const lines = waiting('lines');
  expect(lines.length).toBeLessThan(ATTEMPTS);
  expect(waiting('marks').length).toBeLessThan(ATTEMPTS - lines.length);
  expect(lines[0]?.log.job).not.toHaveProperty('payload');
  expect(logged).toEqual(['The logs of jobs could not be stored: no privilege']);
});
