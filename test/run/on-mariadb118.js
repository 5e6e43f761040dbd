// Runs the suites of MariaDB on 11.8. See SERVERS_VARIABLE in test/servers/engines.ts.
const servers = JSON.parse(process.env.TABLEQUEUE_TEST_SERVERS ?? '{}');
if (servers.mariadb && !servers.mariadb.left) {
  servers.mariadb = servers.mariadb118;
}
process.env.TABLEQUEUE_TEST_SERVERS = JSON.stringify(servers);
