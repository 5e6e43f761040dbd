import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { Codecs } from '../../codec/codecs.js';
import type { Engine } from '../../engine/engine.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { ProgressWriter } from './progress-writer.js';

const JOB = { name: 'report' } as ClaimedJob;
const REPORTED = { job: JOB, text: '"half"' };

const execute = jest.fn<() => Promise<unknown>>();
const error = jest.fn();

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  jest.resetAllMocks();
});

/** Runs one write, which ends like `statement`, and `meanwhile` before its end. */
async function write(statement: () => Promise<unknown>, meanwhile: (writer: ProgressWriter) => void): Promise<void> {
  const writer = new ProgressWriter(
    { execute } as unknown as Engine,
    { maxResultBytes: 1_000, codecs: new Codecs(), logger: { error } as never },
    () => undefined,
  );
  execute.mockImplementationOnce(async () => {
    meanwhile(writer);
    return statement();
  });
  execute.mockResolvedValue({ busy: [], tooLarge: [] });
  writer.addProgress(JOB, 'half');
  await jest.advanceTimersByTimeAsync(0);
  await jest.advanceTimersByTimeAsync(1_000);
}

test('progress whose row is locked is written again', async () => {
  await write(
    () => Promise.resolve({ busy: [REPORTED], tooLarge: [] }),
    () => undefined,
  );
  expect(execute).toHaveBeenCalledTimes(2);
});

test('progress whose row is locked is not written again once its job has ended', async () => {
  await write(
    () => Promise.resolve({ busy: [REPORTED], tooLarge: [] }),
    (writer) => expect(writer.takeProgress(JOB)).toBe('"half"'),
  );
  expect(execute).toHaveBeenCalledTimes(1);
});

test('a failed write is logged', async () => {
  await write(
    () => Promise.reject(new Error('away')),
    () => undefined,
  );
  expect(error).toHaveBeenCalledTimes(1);
});

test('a failed write is not logged once its jobs have ended', async () => {
  await write(
    () => Promise.reject(new Error('closed')),
    (writer) => writer.takeProgress(JOB),
  );
  expect(error).not.toHaveBeenCalled();
});
