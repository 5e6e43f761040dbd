/* Serves the built pages of the dashboard, with answers that are made up. Prints its address. */
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { preview } from 'vite';

const host = '127.0.0.1';
const root = fileURLToPath(new URL('../../../packages/dashboard/pages', import.meta.url));

const server = await preview({ root, configFile: `${root}/vite.config.ts`, preview: { host, port: 0 } });
console.log(`http://${host}:${(server.httpServer.address() as AddressInfo).port}/`);
