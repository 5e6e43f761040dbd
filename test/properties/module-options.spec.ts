import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import { DashboardModule } from '@tablequeue/dashboard';
import { TableQueueModule } from '@tablequeue/nestjs';
import { TableQueueError } from '@tablequeue/typeorm';
import * as fc from 'fast-check';

import { odd } from './odd-values.js';
import { runs } from './runs.js';

const isPlainEmpty = (value: unknown) =>
  Object.prototype.toString.call(value) === '[object Object]' && Object.keys(value as object).length === 0;

/** By option: which of the odd values it takes. */
const QUEUE: Readonly<Record<string, (value: unknown) => boolean>> = {
  maxPayloadBytes: () => false,
  outsideTransaction: () => false,
  currentManager: (value) => typeof value === 'function',
  redact: (value) => typeof value === 'function',
  preparedStatements: (value) => value === true,
  lease: () => false,
  codeVersion: (value) => typeof value === 'string' && value !== '' && value.length <= 64,
  pollInterval: () => false,
  deadWorkerGracePeriod: () => false,
  totalConcurrency: () => false,
  liveness: () => false,
  claimStrategy: () => false,
  role: () => false,
  alerts: () => false,
  retention: isPlainEmpty,
  maintenance: isPlainEmpty,
  isGlobal: (value) => value === true,
};
const DASHBOARD: Readonly<Record<string, (value: unknown) => boolean>> = {
  role: (value) => typeof value === 'function',
  who: (value) => typeof value === 'function',
  redact: (value) => typeof value === 'function',
  payloads: () => false,
  dataSources: () => false,
  origins: (value) => Array.isArray(value),
  environment: (value) => typeof value === 'string' && value !== '' && value.length <= 40,
  path: (value) => value === '-1s',
  guards: (value) => Array.isArray(value),
};

describe('options of modules', () => {
  test.each([
    ['TableQueueModule', QUEUE, (options: object) => TableQueueModule.forRoot(options)],
    ['DashboardModule', DASHBOARD, (options: object) => DashboardModule.forRoot({ public: true, ...options })],
  ])('of %s are accepted, or rejected at once with an error that names them', (_module, isTaken, make) => {
    const option = fc.oneof(
      fc.constantFrom(...Object.keys(isTaken)),
      fc.string({ minLength: 1 }).map((text) => `x${text}`),
    );
    const property = fc.property(option, odd, (name, value) => {
      let error: unknown;
      try {
        make({ [name]: value });
      } catch (thrown) {
        error = thrown;
      }
      if (isTaken[name]?.(value)) {
        expect(error).toBeUndefined();
      } else {
        expect(error).toBeInstanceOf(TableQueueError);
        expect(String(error)).toContain(name);
      }
    });
    fc.assert(property, runs(300));
  });
});
