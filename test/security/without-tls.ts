import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** CLIENT_SSL, in the second byte of a server's capability flags. */
const SSL = 0x08;

/** A proxy between clients and a server, which removes TLS from the server's greeting. */
export async function withoutTls({ hostname, port }: URL) {
  const sockets = new Set<Socket>();
  let sent = 0;
  const between = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => [client, server].forEach((each) => each.destroy()));
    }
    server.once('data', (greeting: Buffer) => {
      // A header of 4, the protocol's version, the server's as text, 13 bytes; then the capabilities.
      const capabilities = greeting.indexOf(0, 5) + 14;
      greeting[capabilities + 1]! &= ~SSL;
      client.write(greeting);
      server.pipe(client);
    });
    client.on('data', (data: Buffer) => {
      sent += data.length;
      server.write(data);
    });
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  return {
    host: `127.0.0.1:${(between.address() as AddressInfo).port}`,
    /** How many bytes clients have sent. */
    sentByClients: () => sent,
    close: async () => {
      sockets.forEach((socket) => socket.destroy());
      between.close();
      await once(between, 'close');
    },
  };
}
