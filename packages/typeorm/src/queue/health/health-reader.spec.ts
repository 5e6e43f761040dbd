import { setImmediate } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import type { DataSource } from 'typeorm';

import type { Engine } from '../../engine/engine.js';
import { checkHealth } from './check-health.js';
import { HealthReader } from './health-reader.js';

test('sends no more statements when the database has not answered in time', async () => {
  const answers: ((row: object) => void)[] = [];
  const engine = { execute: () => new Promise((resolve) => answers.push(resolve)) } as unknown as Engine;
  const reader = new HealthReader({} as DataSource, engine, 1_000);
  const health = await checkHealth(reader, [], { timeout: 1 });
  expect(health).toMatchObject({ isHealthy: false, database: 'down' });
  answers[0]?.([]);
  await setImmediate();
  expect(answers).toHaveLength(1);
});
