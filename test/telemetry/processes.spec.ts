import { expect, test } from '@jest/globals';

import { ChildProcess } from '../support/child-process.js';
import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { spansOf } from '../support/traced-process.js';

describeEach('traces across processes', (engine) => {
  test('one trace goes from the request of one process to the handler of another', async () => {
    const database = await createDatabase(engine);
    const [send, request] = await spansOf('enqueue', database);
    const [write, handler] = await spansOf('work', database);
    expect([request, send, handler, write].map((span) => span?.name)).toEqual([
      'request',
      'send default',
      'process default',
      'write',
    ]);
    expect([send, handler, write].map((span) => span?.parent)).toEqual([request?.id, send?.id, handler?.id]);
    expect(new Set([request, send, handler, write].map((span) => span?.traceId)).size).toBe(1);
    await database.drop();
  });
});

describeEach(
  'without the optional peers',
  (engine) => {
    test('an application enqueues and works', async () => {
      const database = await createDatabase(engine);
      const refuse = new URL('../dist/processes/without-optional-peers.js', import.meta.url);
      const program = ChildProcess.start(new URL('../dist/processes/plain-application.js', import.meta.url), {
        NODE_OPTIONS: `--import ${refuse.href}`,
        ENGINE: engine,
        URL: database.url,
      });
      await program.ended();
      expect(program.output.trim().split('\n')).toEqual([
        'opentelemetry: ERR_MODULE_NOT_FOUND',
        'prometheus: ERR_MODULE_NOT_FOUND',
        'health: ERR_MODULE_NOT_FOUND',
        'it ran',
      ]);
      await database.drop();
    });
  },
  ['sqlite'],
);
