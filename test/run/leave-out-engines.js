// Leaves out the engines that a part does not run on. See SERVERS_VARIABLE in test/servers/engines.ts.
const servers = JSON.parse(process.env.TABLEQUEUE_TEST_SERVERS ?? '{}');
for (const engine of globalThis.leftOutEngines) {
  servers[engine] = { left: true };
}
process.env.TABLEQUEUE_TEST_SERVERS = JSON.stringify(servers);
