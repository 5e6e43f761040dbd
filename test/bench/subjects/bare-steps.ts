import mysql, { type Connection } from 'mysql2/promise';
import { DataSource } from 'typeorm';

import type { ServerEngine } from '../../servers/server.js';
import { connectionOptions } from '../../support/connection-options.js';
import { recreateTables } from '../recreate-tables.js';
import { STEP_RESULT, type StepsModule } from '../steps-subject.js';

/* What the servers and the driver can do: the rows of steps on plain connections, without jobs, fences and handlers. */

/** As many rows as the steps of 100 jobs that run at a time fill, on as many connections as Tablequeue has for them. */
const GATHERED = { rows: 50, connections: 2 };

export const openSteps: StepsModule['openSteps'] = async (url, ground) => {
  const connections = await Promise.all(
    Array.from({ length: GATHERED.connections }, () => mysql.createConnection(url)),
  );
  return {
    async reset() {
      const dataSource = await new DataSource(connectionOptions(ground as ServerEngine, url)).initialize();
      await recreateTables(dataSource);
      await dataSource.destroy();
    },
    async runSteps(jobs, steps, atATime) {
      let left = jobs * steps;
      const [first] = connections as [Connection, ...Connection[]];
      const insertAll = async (connection: Connection, rows: number) => {
        while (left > 0) {
          const count = Math.min(rows, left);
          left -= count;
          await insert(connection, count);
        }
      };
      await (atATime === 1
        ? insertAll(first, 1)
        : Promise.all(connections.map((connection) => insertAll(connection, GATHERED.rows))));
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.end()));
    },
  };
};

let counter = 0;

async function insert(connection: Connection, rows: number): Promise<void> {
  const now = Date.now();
  const values = Array.from({ length: rows }, () => {
    const jobId = Buffer.alloc(16);
    jobId.writeUIntBE(now, 0, 6);
    jobId.writeUInt32BE(++counter, 6);
    return [jobId, now, JSON.stringify(STEP_RESULT)];
  });
  await connection.query(
    `INSERT INTO tq_step (job_id, kind, name, state, seq, attempt, recorded_at, value)
     VALUES ${values.map(() => "(?, 'step', 'step', 'done', 1, 1, ?, ?)").join(',')}`,
    values.flat(),
  );
}
