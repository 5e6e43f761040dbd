import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import getPort from 'get-port';

import { argumentsFor } from './purpose-arguments.js';
import type { ServerEngine, ServerSource } from './server.js';
import { queryServer, waitUntilReady } from './wait-until-ready.js';

const run = promisify(execFile);

const IMAGES: Record<ServerEngine, { readonly image: string; readonly environment: string }> = {
  mariadb: { image: 'mariadb:10.11', environment: 'MARIADB_ALLOW_EMPTY_ROOT_PASSWORD=1' },
  mariadb118: { image: 'mariadb:11.8', environment: 'MARIADB_ALLOW_EMPTY_ROOT_PASSWORD=1' },
  mysql: { image: 'mysql:9', environment: 'MYSQL_ALLOW_EMPTY_PASSWORD=1' },
  mysql56: { image: 'mysql:5.6', environment: 'MYSQL_ALLOW_EMPTY_PASSWORD=1' },
};

/** A container, on machines with Docker. */
export const container: ServerSource = {
  name: 'container',
  async obtain(engine, log, purpose) {
    // The certificates would have to be inside the container.
    if (purpose === 'tls' || !(await run('docker', ['info']).then(Boolean, () => false))) {
      return undefined;
    }
    const { image, environment } = IMAGES[engine];
    log(`starting a container of ${image} …`);
    const port = await getPort({ host: '127.0.0.1' });
    const publish = `127.0.0.1:${port}:3306`;
    const options = ['--rm', '--detach', '--env', environment, '--publish', publish, '--tmpfs', '/var/lib/mysql'];
    const { stdout } = await run('docker', ['run', ...options, image, ...argumentsFor(purpose, engine)]);
    const id = stdout.trim();
    const stop = async () => {
      await run('docker', ['kill', id]);
    };
    try {
      const url = `mysql://root@127.0.0.1:${port}`;
      await waitUntilReady(
        () => queryServer(url),
        async () => (await run('docker', ['logs', id])).stderr,
      );
      return { engine, url, origin: image, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
