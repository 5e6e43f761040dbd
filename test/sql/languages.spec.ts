import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { beforeAll, expect, test } from '@jest/globals';

import { type Interpreter, NO_LANGUAGES, obtainPhp, obtainPython } from '../servers/languages.js';
import { describeEach } from '../support/each-engine.js';
import { createProcedure } from '../support/sql-enqueue.js';
import { useWorkbench } from '../support/use-workbench.js';

const GUIDE = fileURLToPath(new URL('../../docs/guides/enqueue-from-sql.md', import.meta.url));
const LANGUAGES: readonly (readonly [string, () => Promise<Interpreter>, number])[] = [
  ['python', obtainPython, -10],
  ['php', obtainPhp, 0],
];
const testOf = NO_LANGUAGES === undefined ? test : test.skip;

/** Runs the program of the guide in a language. */
async function runExample(language: string, { command, environment }: Interpreter, url: string): Promise<string> {
  const guide = await readFile(GUIDE, 'utf8');
  const [, program] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(guide) ?? [];
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'tq-language-'));
  try {
    const file = join(folder, 'enqueue');
    await writeFile(file, program!);
    const [executable, ...args] = command;
    const { stdout } = await promisify(execFile)(executable!, [...args, file], {
      env: {
        ...environment,
        DB_HOST: hostname,
        DB_PORT: port,
        DB_USER: username,
        DB_PASSWORD: password,
        DB_NAME: pathname.slice(1),
      },
    });
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describeEach(
  `programs in other languages${NO_LANGUAGES === undefined ? '' : ` (${NO_LANGUAGES})`}`,
  (engine) => {
    const bench = useWorkbench(engine);
    beforeAll(() => createProcedure(bench.dataSource));

    testOf.each(LANGUAGES)(
      'the example in %s enqueues a job',
      async (language, obtain, priority) => {
        const id = await runExample(language, await obtain(), bench.database.url);
        expect(await bench.queue.find(id)).toMatchObject({
          queue: 'mail',
          name: 'mail.send',
          payload: { to: 'ada@example.org' },
          key: 'order:42',
          priority,
          state: 'ready',
        });
      },
      240_000,
    );
  },
  ['mariadb', 'mysql'],
);
