import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import getPort from 'get-port';

import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { ROOT, packAll } from './published-packages.js';
import { RunningCommand, runToTheEnd } from './terminal.js';

/** It installs two applications. */
jest.setTimeout(600_000);

const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

/** What to install first, so that npm chooses the releases that fit: see docs/start/install.md. */
const FIRST = { 10: '@nestjs/schedule@4 @nestjs/typeorm@10 typeorm@0.3', 12: '' };

describeEach(
  'nest add @tablequeue/nestjs',
  (engine) => {
    let tarballs: string;
    beforeAll(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tablequeue-nest-add-'));
      const packed = await packAll(folder);
      tarballs = packed.map(({ tarball }) => tarball).join(' ');
    });

    // Nest 11 has the template of 10 and the libraries of 12.
    describe.each([10, 12] as const)('in a new application of Nest %i', (nest) => {
      let database: TestDatabase;
      let home: string;
      let port: number;
      let run: (command: string) => Promise<string>;
      let environment: NodeJS.ProcessEnv;
      const folder = () => join(home, 'shop');
      beforeAll(async () => {
        database = await createEmptyDatabase(engine);
        home = await mkdtemp(join(tmpdir(), `tablequeue-nest-${nest}-`));
        port = await getPort();
        const { NODE_ENV: _ours, NODE_OPTIONS: _alsoOurs, JEST_WORKER_ID: _too, ...inherited } = process.env;
        environment = {
          ...inherited,
          DATABASE_URL: database.url,
          PORT: String(port),
          NO_COLOR: '1',
          npm_config_ignore_scripts: 'true',
          npm_config_audit: 'false',
          npm_config_fund: 'false',
          npm_config_prefer_offline: 'true',
          npm_config_yes: 'true',
        };
        run = (command) => runToTheEnd(command, { folder: folder(), environment });
        const create = `npx @nestjs/cli@${nest} new shop --package-manager npm --skip-git --skip-install`;
        await runToTheEnd(create, { folder: home, environment });
      });
      afterAll(async () => {
        await rm(home, { recursive: true, force: true });
        await database.drop();
      });

      test('adds a module that builds, migrates, passes its test and starts', async () => {
        // In place of the first half of `nest add`, which takes the package from the registry.
        await run(`npm install ${tarballs} ${FIRST[nest]}`);
        await run('npx nest add @tablequeue/nestjs --skip-install --health --dashboard');
        const binding = join(folder(), BINDING);
        await mkdir(dirname(binding), { recursive: true });
        await cp(join(ROOT, BINDING), binding);

        await run('npm run build');
        await run('npm run migration:run');
        expect(await run('npm test 2>&1')).toMatch(/2 passed/);

        const server = RunningCommand.start('npm run start:prod', { folder: folder(), environment });
        try {
          const statusOf = async (path: string) => (await fetch(`http://localhost:${port}${path}`)).status;
          // Nest prints that it has started before the port is open.
          const answers = () => {
            if (server.hasEnded) {
              throw new Error(`It has ended: ${server.output}`);
            }
            return statusOf('/health').then(
              () => true,
              () => false,
            );
          };
          await waitFor('the application answers', answers, 60_000);
          expect([await statusOf('/health'), await statusOf('/queues/api/me')]).toEqual([200, 403]);
        } finally {
          await server.end();
        }
      });

      test('changes nothing when it runs again, and prints why', async () => {
        const files = ['src/app.module.ts', 'src/main.ts', 'src/queue/greeter.ts', 'package.json', 'tsconfig.json'];
        const read = () => Promise.all(files.map((file) => readFile(join(folder(), file), 'utf8')));
        const before = await read();
        const printed = await run('npx nest add @tablequeue/nestjs --skip-install 2>&1');
        expect(await read()).toEqual(before);
        expect(printed).toContain('Nothing was changed: src/queue/queue.module.ts exists.');
      });
    });
  },
  ['mysql'],
);
