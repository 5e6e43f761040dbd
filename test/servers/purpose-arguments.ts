import type { ServerEngine, ServerPurpose } from './server.js';

/** Each of these is something that the doctor has to complain of. */
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

/** Room for the ten million rows that the bench measures large tables with: else it would measure the disk. */
const LARGE_POOL = '--innodb-buffer-pool-size=6G';
/** No commit that was answered is lost, and the binary log says the same as the tables. */
const DURABLE = ['--log-bin=binlog', '--server-id=1', '--sync-binlog=1', '--innodb-flush-log-at-trx-commit=1'];

/** All tables lie in one file, which may not grow for ever: a disk that is full, without one. */
const SMALL = ['--innodb-file-per-table=0', '--innodb-data-file-path=ibdata1:12M:autoextend:max:48M'];

/** By the data folder, beside which they lie: see `makeCertificates`. */
const CERTIFICATES = ['--ssl-ca=../ca.pem', '--ssl-cert=../server.pem', '--ssl-key=../server-key.pem'];

/** What is killed is a process, not the machine: the system still writes what it was given. */
const NOT_DURABLE = {
  mariadb: ['--innodb-flush-log-at-trx-commit=2'],
  mysql: ['--innodb-flush-log-at-trx-commit=2', '--sync-binlog=0'],
  mysql56: ['--innodb-flush-log-at-trx-commit=2'],
};

const BY_PURPOSE: Record<ServerPurpose, Record<ServerEngine, readonly string[]>> = {
  tests: NOT_DURABLE,
  soak: NOT_DURABLE,
  bench: { mariadb: [LARGE_POOL], mysql: [LARGE_POOL], mysql56: [] },
  kill: { mariadb: DURABLE, mysql: DURABLE, mysql56: [...DURABLE, '--binlog-format=ROW'] },
  tls: { mariadb: CERTIFICATES, mysql: CERTIFICATES, mysql56: CERTIFICATES },
  small: { mariadb: SMALL, mysql: SMALL, mysql56: SMALL },
  sick: { mariadb: SICK, mysql: SICK, mysql56: SICK },
};

/** What a server is started with for a purpose. */
export function argumentsFor(purpose: ServerPurpose, engine: ServerEngine): readonly string[] {
  return BY_PURPOSE[purpose][engine];
}
