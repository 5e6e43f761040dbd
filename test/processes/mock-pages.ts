/* Serves the built pages of the dashboard, with answers that are made up. Prints its address. */
import { fileURLToPath } from 'node:url';

import getPort from 'get-port';
import { preview } from 'vite';

const host = '127.0.0.1';
const port = await getPort({ host });
const root = fileURLToPath(new URL('../../../packages/dashboard/pages', import.meta.url));

await preview({ root, configFile: `${root}/vite.config.ts`, preview: { host, port, strictPort: true } });
console.log(`http://${host}:${port}/`);
