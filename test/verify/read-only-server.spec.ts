import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Fault, FAULTS, Random, type FaultContext } from '@tablequeue/verify';
import mysql, { type Connection } from 'mysql2/promise';

import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';
import { type Victim, type VictimEngine, startVictim } from './victim.js';

const READ_ONLY = 1290;
const readOnlyServer = FAULTS.find(({ name }) => name === 'read-only-server') as Fault;

describeEach(
  'a server that becomes read-only',
  (engine) => {
    let victim: Victim;
    let admin: Connection;
    beforeAll(async () => {
      victim = await startVictim(engine as VictimEngine);
      admin = await mysql.createConnection(victim.server.adminUrl);
      await admin.query('CREATE TABLE bench.thing (id INT PRIMARY KEY, number INT NOT NULL)');
      await admin.query('INSERT INTO bench.thing VALUES (1, 0), (2, 0)');
    });
    afterAll(async () => {
      await admin.end();
      await victim.stop();
    });

    test('does so although a statement waits for a row of a transaction that is blocked meanwhile', async () => {
      const url = (victim.dataSourceOptions as { url: string }).url;
      const [holder, waiter] = await Promise.all([mysql.createConnection(url), mysql.createConnection(url)]);
      const change = async (connection: Connection, id: number) =>
        connection.query(`UPDATE thing SET number = number + 1 WHERE id = ${id}`).then(
          () => undefined,
          ({ errno }: { errno: number }) => errno,
        );
      const isRunning = async (text: string, state: string) => {
        const [found] = await admin.query(
          'SELECT 1 FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND info LIKE ? AND state LIKE ?',
          [`${text}%`, state],
        );
        return (found as unknown[]).length > 0;
      };
      try {
        await waiter.query('SET SESSION innodb_lock_wait_timeout = 15');
        await holder.beginTransaction();
        expect(await change(holder, 1)).toBeUndefined();
        const waiting = change(waiter, 1);
        await waitFor('a statement waits for the row', () => isRunning('UPDATE thing', '%'));

        const context: Partial<FaultContext> = {
          database: engine as 'mysql',
          server: victim.server,
          begin: () => ({ end: () => undefined }),
        };
        const injection = readOnlyServer.inject(context as FaultContext, new Random(1), new AbortController().signal);
        await waitFor('the server waits for running writes', () => isRunning('SET GLOBAL', 'Waiting for%'));
        const outcome = await change(holder, 2);
        await holder.rollback();
        await injection;
        // Each has changed its row or was rejected. None has waited for its lock timeout.
        expect([undefined, READ_ONLY]).toContain(outcome);
        expect([undefined, READ_ONLY]).toContain(await waiting);
        await waitFor('the server accepts writes again', async () => (await change(holder, 2)) === undefined);
      } finally {
        holder.destroy();
        waiter.destroy();
      }
    });
  },
  ['mariadb', 'mysql'],
);
