import mysql, { type RowDataPacket } from 'mysql2/promise';

import { costOf } from '../../bench/process-cost.js';
import type { Server } from '../../servers/server.js';
import type { DatabaseObserver, TableVitals } from './database-vitals.js';

/** With where they list the files of their tables, whose sizes are those of the disk and not of the statistics. */
const KINDS = {
  mariadb: { name: 'MariaDB', tablespaces: 'INNODB_SYS_TABLESPACES' },
  mysql: { name: 'MySQL', tablespaces: 'INNODB_TABLESPACES' },
} as const;

/** Observes a database of a server, on a connection of its own without a database, so that it does not count itself. */
export async function observeServer(server: Server, url: string): Promise<DatabaseObserver> {
  const database = new URL(url).pathname.slice(1);
  const kind = KINDS[server.engine === 'mariadb' ? 'mariadb' : 'mysql'];
  const connection = await mysql.createConnection(server.url);
  const rows = async (sql: string) => (await connection.query<RowDataPacket[]>(sql))[0];
  const one = async (sql: string) => Object.values((await rows(sql))[0] ?? {})[0] as unknown;

  const names = (
    await rows(
      `SELECT TABLE_NAME AS name FROM information_schema.TABLES
       WHERE TABLE_SCHEMA = '${database}' AND TABLE_NAME LIKE 'tq\\_%'`,
    )
  ).map(({ name }) => String(name));

  const pageSize = Number(await one('SELECT @@innodb_page_size'));

  /** The servers recount pages automatically whenever a tenth of a table's rows has changed. */
  async function pages(): Promise<Map<string, number>> {
    const sizes = await rows(
      `SELECT table_name AS name, SUM(stat_value) AS pages FROM mysql.innodb_index_stats
       WHERE database_name = '${database}' AND stat_name = 'size' GROUP BY table_name`,
    );
    return new Map(sizes.map(({ name, pages: count }) => [String(name), Number(count) * pageSize]));
  }

  async function tables(files: ReadonlyMap<string, number>): Promise<Record<string, TableVitals>> {
    const used = await pages();
    const counts = await rows(
      names.map((name) => `SELECT '${name}' AS name, COUNT(*) AS count FROM ${database}.${name}`).join(' UNION ALL '),
    );
    return Object.fromEntries(
      counts.map(({ name, count }) => [
        String(name),
        { rows: Number(count), used: used.get(String(name)), bytes: files.get(`${database}/${name}`) },
      ]),
    );
  }

  return {
    version: `${kind.name} ${String(await one('SELECT VERSION()')).split('-')[0]}`,
    async observe() {
      const processes = await rows('SHOW PROCESSLIST');
      const files = new Map(
        (await rows(`SELECT NAME AS name, FILE_SIZE AS bytes FROM information_schema.${kind.tablespaces}`)).map(
          ({ name, bytes }) => [String(name), Number(bytes)],
        ),
      );
      const shared = [...files].filter(([name]) => /^innodb_(system|undo)/.test(name));
      return {
        tables: await tables(files),
        liveJobs: Number(await one(`SELECT COUNT(*) FROM ${database}.tq_job WHERE finished_at = 0`)),
        connections: processes.filter(({ db }) => db === database).length,
        unpurged: Number(
          await one(`SELECT \`COUNT\` FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'`),
        ),
        old: shared.reduce((sum, [, bytes]) => sum + bytes, 0),
        server: costOf(server.processId),
      };
    },
    close: () => connection.end(),
  };
}
