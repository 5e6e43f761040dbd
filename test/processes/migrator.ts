/* A process that migrates: all of it, or until it kills itself behind one statement. */
import { upTableQueue } from '@tablequeue/typeorm';
import { installedTables } from '@tablequeue/typeorm/internal';
import { DataSource, type QueryRunner } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { connectionOptions } from '../support/connection-options.js';

/** What it migrates, and when it dies. */
export interface MigratorConfig {
  readonly engine: Engine;
  readonly url: string;
  /** Behind which statement of the migration it dies, from 1; it does not without. */
  readonly statement?: number;
}

const { engine, url, statement } = JSON.parse(process.env.CONFIG ?? '{}') as MigratorConfig;
const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const runner = dataSource.createQueryRunner();
// Before it begins, the parent process lets all begin together.
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));

const query = runner.query.bind(runner);
let sent = 0;
runner.query = (async (...statementOf: Parameters<QueryRunner['query']>) => {
  const answer: unknown = await query(...statementOf);
  if (++sent === statement) {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  }
  return answer;
}) as QueryRunner['query'];

await upTableQueue(runner);
process.send?.(await installedTables(runner));
await runner.release();
await dataSource.destroy();
process.exit();
