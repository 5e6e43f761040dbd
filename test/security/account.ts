import mysql from 'mysql2/promise';

import type { TestDatabase } from '../support/database.js';

/** A privilege on a table, as `GRANT` takes them: `SELECT`, `SELECT (id)`. */
export interface TablePrivilege {
  readonly privilege: string;
  readonly table: string;
}

let accounts = 0;

/** An account of a server that may do nothing but what it is granted. */
export class Account {
  private constructor(
    private readonly admin: mysql.Connection,
    private readonly database: string,
    private readonly name: string,
    /** Of its own database. */
    readonly url: string,
  ) {}

  static async create(database: TestDatabase, requirement = ''): Promise<Account> {
    const url = new URL(database.url);
    const name = `tq_${process.pid}_${++accounts}`;
    const admin = await mysql.createConnection(database.url);
    await admin.query(`CREATE USER '${name}'@'%' IDENTIFIED BY 'pass' ${requirement}`);
    const schema = url.pathname.slice(1);
    url.username = name;
    url.password = 'pass';
    return new Account(admin, schema, name, url.href);
  }

  async grant(privileges: readonly TablePrivilege[]): Promise<void> {
    for (const { privilege, table } of privileges) {
      await this.admin.query(`GRANT ${privilege} ON \`${this.database}\`.${table} TO '${this.name}'@'%'`);
    }
  }

  async revoke({ privilege, table }: TablePrivilege): Promise<void> {
    await this.admin.query(`REVOKE ${privilege} ON \`${this.database}\`.${table} FROM '${this.name}'@'%'`);
  }

  async drop(): Promise<void> {
    await this.admin.query(`DROP USER '${this.name}'@'%'`);
    await this.admin.end();
  }
}
