/* Has all failed jobs run again, by a bulk operation if asked to, and kills itself after some of many commits. */
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import type { WorkerConfig } from '../support/worker-process.js';

const { engine, url, isBulk } = JSON.parse(process.env.CONFIG ?? '{}') as WorkerConfig & { isBulk?: boolean };

const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
let commits = 0;
const noteCommit = () => {
  if (++commits === (isBulk ? 4 : 2)) {
    process.kill(process.pid, 'SIGKILL');
  }
};
if (engine === 'sqlite') {
  const { databaseConnection } = dataSource.driver as unknown as { databaseConnection: { exec(sql: string): unknown } };
  const exec = databaseConnection.exec.bind(databaseConnection);
  databaseConnection.exec = (sql) => {
    const answer = exec(sql);
    if (sql === 'COMMIT') {
      noteCommit();
    }
    return answer;
  };
} else {
  dataSource.subscribers.push({ afterTransactionCommit: noteCommit });
}
const queue = new TableQueue(dataSource);
if (isBulk) {
  const { id } = await queue.bulk.start({ action: 'retry', filter: { state: 'failed' } });
  await queue.bulk.run(id);
} else {
  await queue.failed.retryMany({});
}
await dataSource.destroy();
