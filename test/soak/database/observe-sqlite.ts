import { stat } from 'node:fs/promises';

import { DataSource } from 'typeorm';

import type { DatabaseObserver } from './database-vitals.js';

/** Pages that were freed for good stay in the file, for other tables: so tables are measured by the pages they have. */
const SIZES = `SELECT tbl_name AS name, SUM(pgsize) AS bytes FROM dbstat JOIN sqlite_schema USING (name)
  WHERE tbl_name LIKE 'tq\\_%' ESCAPE '\\' GROUP BY tbl_name`;

/** Observes a file, on a connection that only reads. */
export async function observeSqlite(path: string): Promise<DatabaseObserver> {
  const dataSource = await new DataSource({ type: 'better-sqlite3', database: path, readonly: true }).initialize();
  const rows = <Row>(sql: string) => dataSource.query<Row[]>(sql);
  const [version] = await rows<{ version: string }>('SELECT sqlite_version() AS version');
  return {
    version: `SQLite ${version?.version}`,
    async observe() {
      const tables = await Promise.all(
        (await rows<{ name: string; bytes: number }>(SIZES)).map(async ({ name, bytes }) => {
          const [counted] = await rows<{ count: number }>(`SELECT COUNT(*) AS count FROM ${name}`);
          return [name, { rows: counted?.count ?? 0, used: bytes, bytes: undefined }] as const;
        }),
      );
      const [live] = await rows<{ count: number }>('SELECT COUNT(*) AS count FROM tq_job WHERE finished_at = 0');
      return {
        tables: Object.fromEntries(tables),
        liveJobs: live?.count ?? 0,
        connections: undefined,
        unpurged: undefined,
        old: (await stat(`${path}-wal`).catch(() => ({ size: 0 }))).size,
        server: undefined,
      };
    },
    close: () => dataSource.destroy(),
  };
}
