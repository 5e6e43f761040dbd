import type { ServerEngine, ServerPurpose } from './server.js';

/** Settings that the doctor has to report, every one. */
const SICK = [
  '--log-bin=binlog',
  '--server-id=1',
  '--binlog-format=STATEMENT',
  '--sync-binlog=0',
  '--innodb-flush-log-at-trx-commit=0',
  '--max-allowed-packet=1M',
  '--transaction-isolation=SERIALIZABLE',
  '--sql-mode=',
  '--default-time-zone=+05:30',
  '--innodb-lock-wait-timeout=600',
];

/** Memory for the ten million rows of the benchmark's large tables. With less it would measure the disk. */
const LARGE_POOL = '--innodb-buffer-pool-size=6G';
/** No confirmed commit is lost, and the binary log matches the tables. */
const DURABLE = ['--log-bin=binlog', '--server-id=1', '--sync-binlog=1', '--innodb-flush-log-at-trx-commit=1'];

/** All tables are in one file of limited size: this acts like a full disk. */
const SMALL = ['--innodb-file-per-table=0', '--innodb-data-file-path=ibdata1:12M:autoextend:max:48M'];

/** Paths from the data folder to the files of `makeCertificates`. */
const CERTIFICATES = ['--ssl-ca=../ca.pem', '--ssl-cert=../server.pem', '--ssl-key=../server-key.pem'];

/** Tests kill processes and not the machine, so the system still writes what the server gave it. */
const NOT_DURABLE = {
  ...onAll(['--innodb-flush-log-at-trx-commit=2']),
  mysql: ['--innodb-flush-log-at-trx-commit=2', '--sync-binlog=0'],
};

/** MariaDB's default. A test sends more than the limit, which is slow with MySQL's default of 64 MB. */
const PACKETS = '--max-allowed-packet=16M';

const BY_PURPOSE: Record<ServerPurpose, Record<ServerEngine, readonly string[]>> = {
  tests: { ...NOT_DURABLE, mysql: [...NOT_DURABLE.mysql, PACKETS] },
  soak: NOT_DURABLE,
  bench: { ...onAll([LARGE_POOL]), mysql56: [] },
  kill: { ...onAll(DURABLE), mysql56: [...DURABLE, '--binlog-format=ROW'] },
  tls: onAll(CERTIFICATES),
  small: onAll(SMALL),
  sick: onAll(SICK),
};

/** The arguments of a server for a purpose. */
export function argumentsFor(purpose: ServerPurpose, engine: ServerEngine): readonly string[] {
  return BY_PURPOSE[purpose][engine];
}

function onAll(args: readonly string[]): Record<ServerEngine, readonly string[]> {
  return { mariadb: args, mariadb118: args, mysql: args, mysql56: args };
}
