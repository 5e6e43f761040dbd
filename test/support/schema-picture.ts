import type { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { DATABASE_TYPES } from './connection-options.js';

const FILES = { 'better-sqlite3': 'sqlite', mariadb: 'mariadb', mysql: 'mysql' } as const;

/** The file with the tables of an engine, as the database shows them. `npm run schema` writes it. */
export function pictureFile(engine: Engine): string {
  return `packages/typeorm/schema/${FILES[DATABASE_TYPES[engine]]}.sql`;
}

/** The statements that the database itself shows for the tables of the queue. */
export async function pictureOf(dataSource: DataSource): Promise<string> {
  const tables = dataSource.entityMetadatas.map(({ tableName }) => tableName).filter((name) => name.startsWith('tq_'));
  const statements: string[] = [];
  for (const table of tables) {
    if (dataSource.options.type === 'better-sqlite3') {
      const rows: { sql: string }[] = await dataSource.query(
        'SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC, name',
        [table],
      );
      statements.push(...rows.map(({ sql }) => sql.replace(/^ {4}/gm, '')));
    } else {
      const [row]: { 'Create Table': string }[] = await dataSource.query(`SHOW CREATE TABLE ${table}`);
      // The rest of the last line are defaults of the database.
      statements.push(row!['Create Table'].replace(/ENGINE=InnoDB.*$/, 'ENGINE=InnoDB'));
    }
  }
  return statements.map((statement) => `${statement};\n`).join('\n');
}
