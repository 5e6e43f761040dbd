/* Has all failed jobs run again, and kills itself behind the second of many commits. */
import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import type { WorkerConfig } from '../support/worker-process.js';

const { engine, url } = JSON.parse(process.env.CONFIG ?? '{}') as WorkerConfig;

const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
let commits = 0;
const noteCommit = () => {
  if (++commits === 2) {
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
await new TableQueue(dataSource).failed.retryMany({});
await dataSource.destroy();
