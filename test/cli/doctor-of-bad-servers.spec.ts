import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tableQueueEntities, upTableQueue } from '@tablequeue/typeorm';
import mysql from 'mysql2/promise';
import { DataSource } from 'typeorm';

import { ownServer } from '../servers/obtain-server.js';
import type { Server } from '../servers/server.js';
import { DATABASE_TYPES } from '../support/connection-options.js';
import { doctor } from '../support/doctor.js';
import { describeEach } from '../support/each-engine.js';

describeEach(
  'the doctor on a badly configured server',
  (engine) => {
    let server: Server;
    let dataSource: DataSource;
    let url: string;
    beforeAll(async () => {
      server = await ownServer(engine as 'mysql', 'sick');
      const admin = await mysql.createConnection(server.url);
      await admin.query('CREATE DATABASE shop');
      await admin.end();
      const type = DATABASE_TYPES[engine] as 'mysql';
      url = `${server.url.replace(/^mysql/, type)}/shop`;
      dataSource = await new DataSource({ type, url, entities: tableQueueEntities(type) }).initialize();
      const queryRunner = dataSource.createQueryRunner();
      await upTableQueue(queryRunner);
      await queryRunner.release();
    });
    afterAll(async () => {
      await dataSource.destroy();
      await server.stop();
    });

    test('reports every problem', async () => {
      const holder = await mysql.createConnection(url);
      await holder.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
      await holder.query('SELECT COUNT(*) FROM tq_job');
      const { code, by } = await doctor(url, '--max-transaction-age', '0');
      // The server stores the start in its own time zone, which differs from that of the session.
      expect(by['open-transactions']?.found).toMatch(/open for \d s,/);
      await holder.end();
      expect(code).toBe(1);
      const statusOf = Object.fromEntries(Object.entries(by).map(([check, { status }]) => [check, status]));
      expect(statusOf).toEqual({
        version: 'ok',
        cluster: 'ok',
        tables: 'ok',
        privileges: 'ok',
        'enqueue-procedure': 'ok',
        'worker-session': 'problem',
        isolation: 'warning',
        'binlog-format': 'problem',
        'sql-mode': 'warning',
        // The doctor tries it as workers do, which cannot write here.
        'claim-strategy': 'unknown',
        'claim-plan': 'ok',
        'packet-size': 'problem',
        connections: 'ok',
        'lock-waits': 'warning',
        durability: 'warning',
        'open-transactions': 'warning',
        'history-length': 'ok',
        'clock-drift': 'ok',
        'time-zone': 'warning',
        'table-sizes': 'ok',
      });
      expect(by['worker-session']?.found).toMatch(/READ COMMITTED|READ-COMMITTED|binlog/i);
      expect(by['packet-size']?.found).toBe('max_allowed_packet = 1 MiB, largest payload 1 MiB');
      expect(by.durability?.change).toEqual([
        'SET GLOBAL innodb_flush_log_at_trx_commit = 1;',
        'SET GLOBAL sync_binlog = 1;',
      ]);
    });

    test('finds no problem after its fixes are applied', async () => {
      const { by } = await doctor(url);
      for (const { change } of Object.values(by)) {
        for (const statement of change.filter((step) => step.startsWith('SET GLOBAL'))) {
          await dataSource.query(statement);
        }
      }
      const { code, report } = await doctor(url);
      expect(report.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
      expect(code).toBe(0);
    });

    test('reports a read-only server, and disabled backslash escapes', async () => {
      await dataSource.query("SET GLOBAL read_only = ON, GLOBAL sql_mode = 'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES'");
      const { by } = await doctor(url);
      expect(by.cluster).toMatchObject({ status: 'problem', found: expect.stringContaining('read-only') });
      expect(by['sql-mode']).toMatchObject({ status: 'problem', found: 'sql_mode has NO_BACKSLASH_ESCAPES' });
    });
  },
  ['mariadb', 'mysql'],
);
