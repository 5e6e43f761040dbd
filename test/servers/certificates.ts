import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

/**
 * Creates certificates in a folder with openssl: `ca.pem` signs `server.pem`, which has the key `server-key.pem`. The
 * only name of the server is 127.1. Every resolver finds this machine by that name, as it does by localhost.
 */
export async function makeCertificates(folder: string): Promise<void> {
  const file = (name: string) => join(folder, name);
  const make = (name: string, key: string, args: readonly string[]) =>
    run('openssl', ['req', '-x509', ...NEW_KEY, '-keyout', file(key), '-out', file(name), ...args]);
  await make('ca.pem', 'ca-key.pem', ['-subj', '/CN=Tests of Tablequeue']);
  const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca-key.pem')];
  const named = ['-subj', '/CN=server', '-addext', 'subjectAltName=DNS:127.1'];
  await make('server.pem', 'server-key.pem', [...signer, ...named, '-addext', 'basicConstraints=critical,CA:FALSE']);
}
