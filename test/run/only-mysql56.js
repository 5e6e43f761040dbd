// Leaves out every server but MySQL 5.6. See SERVERS_VARIABLE in test/servers/engines.ts.
const servers = JSON.parse(process.env.TABLEQUEUE_TEST_SERVERS ?? '{}');
const others = ['sqlite', 'mariadb', 'mariadb118', 'mysql', 'galera', 'group-replication'];
for (const engine of others) {
  servers[engine] = { left: true };
}
process.env.TABLEQUEUE_TEST_SERVERS = JSON.stringify(servers);
