import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type CutMode, FaultProxy, type PassingCommand, type Side, reset } from '@tablequeue/verify/internal';
import mysql, { type Connection } from 'mysql2/promise';

import { type TestDatabase, createEmptyDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { waitFor } from '../support/wait-for.js';

describeEach(
  'the proxy',
  (engine) => {
    let database: TestDatabase;
    let proxy: FaultProxy;
    let direct: Connection;
    let client: Connection;
    const commands: PassingCommand[] = [];

    beforeEach(async () => {
      commands.length = 0;
      database = await createEmptyDatabase(engine);
      proxy = new FaultProxy(new URL(database.url));
      await proxy.open();
      direct = await mysql.createConnection(database.url);
      await direct.query('CREATE TABLE one (number INT PRIMARY KEY)');
      client = await connectThrough();
    });
    afterEach(async () => {
      client.destroy();
      await proxy.close();
      await direct.end();
      await database.drop();
    });

    async function connectThrough(options: object = {}): Promise<Connection> {
      const connection = await mysql.createConnection({ uri: proxy.url, ...options });
      connection.on('error', () => undefined);
      return connection;
    }

    const insert = (number: number, connection = client) => connection.query(`INSERT INTO one VALUES (${number})`);
    const numbers = async () => {
      const [rows] = await direct.query('SELECT number FROM one ORDER BY number');
      return (rows as { number: number }[]).map((row) => row.number);
    };

    /** Breaks the connection at the first command with the text. */
    function breakAt(text: string, side: Side, how: CutMode = 'reset'): void {
      const stop = proxy.intercept((command) => {
        if (command.text !== text) {
          return undefined;
        }
        stop();
        return { side, act: () => command.connection.cut(how) };
      });
    }

    test('forwards everything and recognizes the commands', async () => {
      proxy.intercept((command) => {
        commands.push(command);
        return undefined;
      });
      const long = 'x'.repeat(3_000_000);
      const [[row]] = (await client.query('SELECT ? AS text, LENGTH(?) AS length', ['ä', long])) as unknown as [
        { text: string; length: number }[],
      ];
      expect(row).toMatchObject({ text: 'ä', length: long.length });
      const [prepared] = await client.execute('SELECT ? + 1 AS sum UNION ALL SELECT 7', [4]);
      expect((prepared as { sum: number | string }[]).map(({ sum }) => Number(sum))).toEqual([5, 7]);
      await expect(client.query('SELECT nonsense')).rejects.toThrow('nonsense');
      await client.ping();
      const several = await connectThrough({ multipleStatements: true });
      const [results] = await several.query('SELECT 1 AS a; DO 1; SELECT 2 AS b');
      expect(results).toMatchObject([[{ a: 1 }], {}, [{ b: 2 }]]);
      await several.query('SELECT 3');
      await several.end();
      expect(commands.map(({ name, text }) => [name, text?.slice(-20)])).toEqual([
        ['COM_QUERY', expect.stringMatching(/x+'\) AS length$/)],
        ['COM_STMT_PREPARE', 'UNION ALL SELECT 7'.padStart(20, 'm ')],
        ['COM_STMT_EXECUTE', undefined],
        ['COM_QUERY', 'SELECT nonsense'],
        ['COM_PING', undefined],
        ['COM_QUERY', '; DO 1; SELECT 2 AS b'.slice(-20)],
        ['COM_QUERY', 'SELECT 3'],
      ]);
    });

    test.each(['reset', 'end'] as const)('breaks a connection before and after a statement (%s)', async (how) => {
      breakAt('INSERT INTO one VALUES (1)', 'before', how);
      await expect(insert(1)).rejects.toMatchObject({ fatal: true });
      expect(await numbers()).toEqual([]);
      const second = await connectThrough();
      breakAt('INSERT INTO one VALUES (2)', 'after', how);
      await expect(insert(2, second)).rejects.toMatchObject({ fatal: true });
      expect(await numbers()).toEqual([2]);
    });

    test('breaks a connection before and after COMMIT', async () => {
      await client.beginTransaction();
      await insert(1);
      breakAt('COMMIT', 'before');
      await expect(client.commit()).rejects.toMatchObject({ fatal: true });
      expect(await numbers()).toEqual([]);
      const second = await connectThrough();
      await second.beginTransaction();
      await insert(2, second);
      breakAt('COMMIT', 'after');
      await expect(second.commit()).rejects.toMatchObject({ fatal: true });
      expect(await numbers()).toEqual([2]);
    });

    test('withholds the whole response from the client, also one with several results', async () => {
      const several = await connectThrough({ multipleStatements: true });
      const text = 'SELECT REPEAT("x", 100000) FROM (SELECT 1 UNION SELECT 2) AS two; INSERT INTO one VALUES (5)';
      breakAt(text, 'after');
      await expect(several.query(text)).rejects.toMatchObject({ fatal: true });
      expect(await numbers()).toEqual([5]);
    });

    test('on a connection that is silent to the client, a statement takes effect and its response is late', async () => {
      proxy.silence('to client');
      let isAnswered = false;
      const answer = insert(1).then(() => (isAnswered = true));
      await waitFor('the statement has taken effect', async () => (await numbers()).length === 1);
      expect(isAnswered).toBe(false);
      proxy.heal();
      await answer;
    });

    test('on a connection that is silent to the server, a statement arrives late, after its client has gone', async () => {
      await client.beginTransaction();
      await insert(1);
      let isSent = false;
      proxy.intercept(({ connection }) => {
        isSent = true;
        connection.silence('to server');
        return undefined;
      });
      void client.commit().catch(() => undefined);
      await waitFor('the COMMIT is sent', () => isSent);
      client.destroy();
      await waitFor('the client has gone', () => proxy.connections[0]?.isAbandoned);
      expect(await numbers()).toEqual([]);
      proxy.heal();
      await waitFor('it is committed anyway', async () => (await numbers()).length === 1);
    });

    test('delays and throttles data until it is healed', async () => {
      const time = async (work: () => Promise<unknown>) => {
        const since = performance.now();
        await work();
        return performance.now() - since;
      };
      proxy.delay(100);
      expect(await time(() => client.ping())).toBeGreaterThan(190);
      proxy.heal();
      proxy.throttle(100_000);
      expect(await time(() => client.query('SELECT REPEAT("x", 20000)'))).toBeGreaterThan(190);
      proxy.throttle(1);
      const slow = client.ping();
      proxy.heal();
      await slow;
    });

    test('refuses new connections, and leaves the open ones', async () => {
      const stop = proxy.refuse();
      await expect(connectThrough()).rejects.toMatchObject({ fatal: true });
      await insert(1);
      stop();
      await (await connectThrough()).end();
    });

    test('accepts no connections while it is closed, and reopens at the same address', async () => {
      await proxy.close();
      await expect(connectThrough()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await proxy.open();
      await (await connectThrough()).end();
      await waitFor('no connection is left in its list', () => proxy.connections.length === 0);
    });
  },
  ['mariadb', 'mysql', 'mysql56'],
);

test('a connection that is shutting down is broken, and emits its end', async () => {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.end();
  reset(socket);
  await Promise.all([once(socket, 'close'), once(client, 'close')]);
  server.close();
  await once(server, 'close');
});
