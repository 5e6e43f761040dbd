import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

import { compileExamples } from './examples.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'compile-errors';

test('the compiler reports the errors that docs/guides/type-checks.md shows', async () => {
  const page = await readFile(join(ROOT, 'docs/guides/type-checks.md'), 'utf8');
  const [, code = '', output = ''] = /^```typescript\n(.*?)^```$.*?^```text\n(.*?)^```$/ms.exec(page) ?? [];
  const file = join(ROOT, 'test/dist', FOLDER, 'out/queue-names.js');
  const { message } = await compileExamples(FOLDER, [{ code, file }]).then(
    () => ({ message: 'it compiles' }),
    (error: Error) => error,
  );
  // Only the first line of each error. The other lines explain it.
  const errors = [...message.matchAll(/queue-names\.ts\(.*/g)].map(([line]) => line);
  expect(errors.join('\n')).toBe(output.trim());
});
