/* Runs a test file as a user's Jest would, and prints what keeps it from ending. */
import { fileURLToPath } from 'node:url';

import { run } from 'jest';

const config = fileURLToPath(new URL('../../jest.config.js', import.meta.url));
const fixture = '**/test/nest/open-handles.fixture.ts';
await run([
  '--config',
  config,
  '--selectProjects',
  'Nest',
  '--testMatch',
  fixture,
  '--reporters',
  'default',
  '--detectOpenHandles',
]);
// Jest has taken an interest in the channel to the parent process, which would now keep it from ending.
process.channel?.unref();
