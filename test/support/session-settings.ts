import mysql from 'mysql2';
import { DefaultNamingStrategy } from 'typeorm';

import type { Engine } from '../servers/engines.js';

/** One way in which the connections of an application may differ from those the queue was written on. */
interface SessionSetting {
  readonly name: string;
  /** Run on each new connection, the queue's own among them, as `init_connect` of the server would be. */
  readonly session?: string;
  /** Options of the data source. */
  readonly options?: { readonly extra?: object; readonly [option: string]: unknown };
  /** What the database is created with. */
  readonly charset?: string;
  /** Only on this server. */
  readonly only?: Engine;
}

const session = (name: string, statement: string, only?: Engine): SessionSetting => ({
  name,
  session: `SET SESSION ${statement}`,
  ...(only ? { only } : {}),
});
const mode = (name: string) => session(`sql_mode ${name || "''"}`, `sql_mode = '${name}'`);
const isolation = (name: string) => session(name, `TRANSACTION ISOLATION LEVEL ${name}`);
const driver = (name: string, extra: object): SessionSetting => ({ name, options: { extra } });
const database = (name: string): SessionSetting => ({ name: `a database in ${name}`, charset: name });

/** Not the names that the queue's entities give themselves. */
class ShoutingNames extends DefaultNamingStrategy {
  override tableName(_target: string, given: string | undefined): string {
    return given ?? 'ANYTHING';
  }

  override columnName(property: string, given: string | undefined): string {
    return given ?? property.toUpperCase();
  }

  override indexName(): string {
    return 'ONE_FOR_ALL';
  }
}

/**
 * Settings that are tried together, because none of them hides what another does: two that make the queue start a
 * transaction, for example, are apart. Leave some out to find the one that makes a test fail.
 */
const COMBINATIONS: readonly (readonly SessionSetting[])[] = [
  [
    session('autocommit off', 'autocommit = 0'),
    session('time_zone +05:30', "time_zone = '+05:30', lc_time_names = 'de_DE'"),
    mode(''),
    isolation('READ UNCOMMITTED'),
    database('CHARACTER SET latin1 COLLATE latin1_general_cs'),
    driver('numbers as text', {
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
      jsonStrings: true,
    }),
  ],
  [
    session('completion_type', "completion_type = 'CHAIN'"),
    session('time_zone -11:00', "time_zone = '-11:00'"),
    mode('ANSI,ONLY_FULL_GROUP_BY'),
    isolation('REPEATABLE READ'),
    session('innodb_snapshot_isolation', 'innodb_snapshot_isolation = 1', 'mariadb'),
    database('CHARACTER SET big5'),
    driver('numbers as numbers', {
      supportBigNumbers: true,
      bigNumberStrings: false,
      decimalNumbers: true,
      namedPlaceholders: true,
      multipleStatements: true,
      timezone: '+05:30',
    }),
  ],
  [
    session('sql_safe_updates', 'sql_safe_updates = 1'),
    session('max_execution_time', 'max_execution_time = 1000', 'mysql'),
    session('max_statement_time', 'max_statement_time = 1', 'mariadb'),
    mode('PAD_CHAR_TO_FULL_LENGTH,NO_ZERO_DATE,NO_ZERO_IN_DATE,HIGH_NOT_PRECEDENCE,NO_UNSIGNED_SUBTRACTION'),
    isolation('READ COMMITTED'),
    session(
      'tiny buffers, no checks and another collation',
      "sort_buffer_size = 32768, join_buffer_size = 128, foreign_key_checks = 0, unique_checks = 0, group_concat_max_len = 4, collation_connection = 'utf8mb4_bin'",
    ),
    database('CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'),
    driver('numbers as BigInt, bytes as text', {
      typeCast: (field: Field, next: () => unknown) =>
        field.type === 'LONGLONG' || field.type === 'TINY' ? toBigInt(field.string()) : bytesAsText(field, next),
      dateStrings: true,
      decimalNumbers: true,
    }),
    { name: 'one connection', options: { poolSize: 1 } },
  ],
  [
    mode('TRADITIONAL'),
    session('modes of MariaDB', "sql_mode = CONCAT(@@sql_mode, ',SIMULTANEOUS_ASSIGNMENT')", 'mariadb'),
    session('null for the last id', 'sql_auto_is_null = 1', 'mariadb'),
    driver('bytes as text', { typeCast: bytesAsText }),
    {
      name: 'options of TypeORM, SERIALIZABLE',
      options: {
        timezone: '+05:30',
        dateStrings: true,
        cache: true,
        maxQueryExecutionTime: 60_000,
        enableQueryTimeout: true,
        relationLoadStrategy: 'query',
        legacySpatialSupport: false,
        connectorPackage: 'mysql2',
        isolationLevel: 'SERIALIZABLE',
        entityPrefix: 'app_',
        namingStrategy: new ShoutingNames(),
      },
    },
  ],
];

/** Settings of a server that are tried together, for the table of a test. */
export function combinationsFor(engine: Engine): [name: string, database: CombinedSettings][] {
  return COMBINATIONS.map((all) => {
    const settings = all.filter(({ only }) => only === undefined || only === engine);
    const options = settings.map((setting) => setting.options ?? {});
    return [
      settings.map(({ name }) => name).join(', '),
      {
        charset: settings.find((setting) => setting.charset)?.charset,
        options: {
          ...(Object.assign({}, ...options) as object),
          extra: Object.assign({}, ...options.map(({ extra }) => extra)) as object,
          driver: driverWithSession(...settings.flatMap((setting) => setting.session ?? [])),
        },
      },
    ];
  });
}

/** How to create and to connect a database with settings. */
interface CombinedSettings {
  readonly charset: string | undefined;
  readonly options: object;
}

interface Field {
  readonly type: string;
  string(): string | null;
  buffer(): Buffer | null;
}

/** As applications do to read the ids of their own tables. */
function bytesAsText(field: Field, next: () => unknown): unknown {
  return field.type === 'STRING' ? (field.buffer()?.toString('hex') ?? null) : next();
}

function toBigInt(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

/** mysql2, whose pools begin each connection with statements: the `driver` option of a data source. */
export function driverWithSession(...statements: string[]): object {
  return {
    ...mysql,
    createPool(options: mysql.PoolOptions) {
      const pool = mysql.createPool(options);
      pool.on('connection', (connection) => {
        for (const statement of statements) {
          connection.query(statement, (error: Error | null) => error && connection.destroy());
        }
      });
      return pool;
    },
  };
}

/** Options of a data source whose transactions isolate snapshots: the default from MariaDB 11.6.2 on. */
export const SNAPSHOT_ISOLATION = { driver: driverWithSession('SET SESSION innodb_snapshot_isolation = 1') };
