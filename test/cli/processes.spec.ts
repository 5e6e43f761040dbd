import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { upTableQueue } from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';

import { PROGRAM, commandUrl, runHere, tablequeue } from '../support/command-line.js';
import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';
import { waitFor } from '../support/wait-for.js';

/** Inside the repository, so that the packages of a data source there are found. */
const FOLDER = fileURLToPath(new URL('../dist/command-line', import.meta.url));

/** `require.resolve` finds no driver. */
const NO_DRIVER = `
  import module from 'node:module';
  const resolve = module._resolveFilename;
  module._resolveFilename = (request, ...rest) => {
    if (request === 'mysql2' || request === 'better-sqlite3') {
      throw Object.assign(new Error('none'), { code: 'MODULE_NOT_FOUND' });
    }
    return resolve(request, ...rest);
  };`;

const RESOLVE_WITHOUT_TYPEORM = `
  export function resolve(name, context, next) {
    if (name === 'typeorm') {
      throw Object.assign(new Error("Cannot find package 'typeorm' imported from here"), { code: 'ERR_MODULE_NOT_FOUND' });
    }
    return next(name, context);
  }`;
const NO_TYPEORM = `
  import { register } from 'node:module';
  register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(RESOLVE_WITHOUT_TYPEORM))});`;

describe('the command line as a process', () => {
  test('help, version and wrong usage', async () => {
    const [help, version, unknown, noDatabase, noQueue] = await Promise.all([
      tablequeue(['retry', '--help']),
      runHere(['--version']),
      tablequeue(['stts']),
      runHere(['stats']),
      runHere(['pause', '--url', 'sqlite:./x.sqlite']),
    ]);
    expect(help).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/Examples:\n {2}npx tablequeue retry/) });
    expect(version).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(unknown).toEqual({ code: 2, out: '', err: "tablequeue: unknown command 'stts'\n(Did you mean stats?)\n" });
    expect(noDatabase).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^tablequeue: Which database\? Give --url/),
    });
    expect(noQueue).toMatchObject({ code: 2, err: expect.stringContaining("missing required argument 'queue'") });
  });

  test('a missing package is named', async () => {
    const [noDriver, noTypeorm] = await Promise.all([
      tablequeue(['stats', '--url', 'mysql://root@127.0.0.1:1/shop'], { before: NO_DRIVER }),
      tablequeue(['stats'], { before: NO_TYPEORM }),
    ]);
    expect(noDriver).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^tablequeue: The driver mysql2 is not installed in .* npm install mysql2\n$/),
    });
    expect(noTypeorm).toEqual({
      code: 1,
      out: '',
      err: 'tablequeue: The package typeorm is missing. Install it: npm install typeorm\n',
    });
  });

  test("the driver is the project's own", async () => {
    const project = join(FOLDER, 'project');
    const driver = join(project, 'node_modules/mysql2');
    await mkdir(driver, { recursive: true });
    await writeFile(
      join(driver, 'index.js'),
      'module.exports = { createPool() { throw new Error("the driver of the project") } };',
    );
    const { code, err } = await runHere(['stats', '--url', 'mysql://root@127.0.0.1/shop'], {}, project);
    expect(code).toBe(1);
    expect(err).toBe('tablequeue: Cannot connect to mysql://root@127.0.0.1:3306/shop: the driver of the project\n');
  });

  test('an invalid URL is rejected without being shown', async () => {
    const urls = [
      'postgres://u:s3cret@h/d',
      'mysql://u:s3/cret@h/d',
      'mysql://u:s3cret@h',
      'mysql://u:s3cret@h/d?ssl=1',
      'mysql://u:12@s3/cret@h/d',
      'mysql://u:12?s3cret@h/d',
      'mysql://u:12@h/s3/cret',
      's3cret',
    ];
    const results = await Promise.all(urls.map((url) => runHere(['stats', '--debug'], { DATABASE_URL: url })));
    for (const { code, out, err } of results) {
      expect(code).toBe(2);
      expect(out + err).toMatch(/tablequeue: UsageError: DATABASE_URL/);
      expect(out + err).not.toMatch(/s3.?cret/);
    }
  });

  test('a password is not shown if its URL is in the wrong argument', async () => {
    const url = 'mysql://u:s3%2Fcret@h/d';
    for (const args of [[`--url=${url}`, 'stats'], ['stats', `--ulr=${url}`], [url]]) {
      const { code, err } = await runHere(args);
      expect([code, err]).toEqual([2, expect.stringContaining('mysql://u:***@h/d')]);
    }
  });

  test('results are printed unchanged, whatever the password', async () => {
    const { code, out } = await runHere(['--help', '--url=mysql://u:stats@h/d']);
    expect([code, out]).toEqual([0, expect.stringContaining('stats')]);
  });

  test('a password is not shown in an error of another module', async () => {
    const url = 'mysql://u:s3%2Fcret@127.0.0.1/shop';
    const { code, err } = await runHere(['stats', '--prefix', 's3/cret', '--url', url]);
    expect(code).toBe(2);
    expect(err).toContain('The option "prefix" is \'***\'');
  });

  test('a short password is hidden only in URLs', async () => {
    const url = 'mysql://u:a@h/d?ca=/ca.pem';
    const { err } = await runHere(['stats', '--url', url]);
    expect(err).toBe(
      'tablequeue: --url has parameters (ca), which are not supported. Use --data-source for such settings.\n',
    );
    expect((await runHere(['stats', `--ulr=${url}`])).err).toContain('mysql://u:***@h/d');
    expect((await runHere(['stats', '--ulr=mysql://u:a@b/c@h/d'])).err).toContain("'--ulr=mysql://u:***@h/d'");
  });

  test('an SQLite file that does not exist, or is another file', async () => {
    await mkdir(FOLDER, { recursive: true });
    const missing = ['stats', '--url', 'sqlite:./missing.sqlite'];
    expect(await runHere(missing, {}, FOLDER)).toEqual({
      code: 2,
      out: '',
      err:
        'tablequeue: The file ./missing.sqlite does not exist. Check the path, or create it: ' +
        'npx tablequeue migrate --url sqlite:./missing.sqlite\n',
    });
    await writeFile(join(FOLDER, 'text.sqlite'), 'This is a text, and not a database. '.repeat(100));
    expect(await runHere(['stats', '--url', 'sqlite:./text.sqlite'], {}, FOLDER)).toEqual({
      code: 2,
      out: '',
      err: 'tablequeue: sqlite:./text.sqlite is not an SQLite database. Check the path.\n',
    });
  });

  test('a data source that cannot be loaded', async () => {
    await mkdir(join(FOLDER, 'sources'), { recursive: true });
    await writeFile(join(FOLDER, 'options.json'), '{}');
    await writeFile(join(FOLDER, 'broken.mjs'), 'throw new Error("no DATABASE_PASSWORD is set.");');
    const compiled = 'is not a JavaScript module. Give the compiled file: ./dist/data-source.js';
    const errors = {
      './sources': compiled,
      './options.json': compiled,
      './broken.mjs': 'cannot be loaded: no DATABASE_PASSWORD is set.',
    };
    for (const [file, message] of Object.entries(errors)) {
      const err = `tablequeue: --data-source: ${file} ${message}\n`;
      expect(await tablequeue(['stats', '--data-source', file], { folder: FOLDER })).toEqual({ code: 2, out: '', err });
    }
  });

  test('the docs describe every command and every option', async () => {
    const docs = await readFile(new URL('../../docs/operate/cli.md', import.meta.url), 'utf8');
    const { out: help } = await runHere(['--help']);
    const commands = [...help.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name]) => name as string);
    expect(commands).toContain('doctor');
    for (const command of commands) {
      const [, section = ''] = docs.split(new RegExp(`^## .*\\b${command}\\b.*$`, 'm'));
      expect(section).not.toBe('');
      const { out } = await runHere([command, '--help']);
      for (const [, option] of out.matchAll(/^ {2}(--[a-z-]+)/gm)) {
        expect(docs).toContain(option);
      }
    }
  });
});

describeEach('the command line on a database', (engine) => {
  afterAll(() => rm(FOLDER, { recursive: true, force: true }));
  const database = useDatabase(engine);
  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
  });

  test('uses the prefix of a data source, but no other settings of the application', async () => {
    const dataSource = await database.connect();
    const queryRunner = dataSource.createQueryRunner();
    await upTableQueue(queryRunner, { prefix: 'shop_' });
    await queryRunner.release();
    const { type } = dataSource.options;
    const place = type === 'better-sqlite3' ? `database: ${JSON.stringify(database.url)}` : `url: '${database.url}'`;
    const file = join(FOLDER, `${engine}.mjs`);
    await writeFile(
      file,
      `import { tableQueueEntities } from '@tablequeue/typeorm';
       import { DataSource } from 'typeorm';
       export const dataSource = new DataSource({
         type: '${type}', ${place}, entities: tableQueueEntities('${type}', { prefix: 'shop_' }),
         migrations: ['./missing/*.js'], dropSchema: true, synchronize: true, logging: true,
       });`,
    );
    const [status, stats] = await Promise.all([
      tablequeue(['migrate', '--status', '--data-source', `./${engine}.mjs`], { folder: FOLDER }),
      tablequeue(['stats', '--json', '--data-source', file]),
    ]);
    expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/^The tables shop_\* of .* at version 1/) });
    expect(stats).toMatchObject({ code: 0, err: '', out: expect.stringContaining('"queues": []') });
    await dataSource.query('SELECT COUNT(*) FROM tq_job');
  });

  test('watches until it is interrupted', async () => {
    const args = [PROGRAM, 'stats', '--watch', '100ms', '--json', '--url', commandUrl(database)];
    const watching = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    watching.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await waitFor('two reports', () => out.split('\n').length > 2 || watching.exitCode !== null);
    watching.kill('SIGINT');
    const [code] = (await once(watching, 'exit')) as [number | null];
    expect(code).toBe(0);
    const lines = out.trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    lines.forEach((line) => expect(JSON.parse(line)).toMatchObject({ queues: [] }));
  });

  if (engine !== 'sqlite') {
    test('a refused password is not shown', async () => {
      const admin = await mysql.createConnection(database.url);
      const name = `u${process.pid}`;
      await admin.query(`CREATE USER ${name}@'%' IDENTIFIED BY 'right/one'`);
      const url = new URL(database.url);
      url.username = name;
      url.password = 'wrong/one';
      const { code, out, err } = await tablequeue(['stats', '--debug', '--url', url.href]);
      await admin.query(`DROP USER ${name}@'%'`);
      await admin.end();
      expect(code).toBe(1);
      expect(err).toContain(`Cannot connect to mysql://${name}@`);
      expect(err).toMatch(/Access denied.*\n {4}at /);
      expect(out + err).not.toMatch(/wrong(\/|%2F)one/);
    });
  }
});
