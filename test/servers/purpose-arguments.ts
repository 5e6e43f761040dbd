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

const BY_PURPOSE: Record<ServerPurpose, Record<ServerEngine, readonly string[]>> = {
  tests: {
    mariadb: ['--innodb-flush-log-at-trx-commit=2'],
    mysql: ['--innodb-flush-log-at-trx-commit=2', '--sync-binlog=0'],
    mysql56: ['--innodb-flush-log-at-trx-commit=2'],
  },
  bench: { mariadb: [], mysql: [], mysql56: [] },
  sick: { mariadb: SICK, mysql: SICK, mysql56: SICK },
};

/** What a server is started with for a purpose. */
export function argumentsFor(purpose: ServerPurpose, engine: ServerEngine): readonly string[] {
  return BY_PURPOSE[purpose][engine];
}
