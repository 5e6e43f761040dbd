import type { FreshApplication } from './fresh-application.js';
import type { Manifest } from './published-packages.js';

/** A path that could not be loaded, and why. */
export interface FailedPath {
  readonly path: string;
  readonly message: string;
}

/** Loads what the packages export. Only a path beside the package's own may fail, for want of an optional peer. */
export async function pathsThatFail(application: FreshApplication): Promise<FailedPath[]> {
  const failed: FailedPath[] = [];
  for (const { manifest } of application.packages) {
    for (const path of pathsOf(manifest)) {
      const message = await load(application, path);
      const isAboutPeer = path !== manifest.name && optionalPeersOf(manifest).some((peer) => isMissing(peer, message));
      if (message !== '' && !isAboutPeer) {
        failed.push({ path, message });
      }
    }
  }
  return failed;
}

/** The files of the programs that the packages bring. */
export function programsOf(application: FreshApplication): string[] {
  return application.packages.flatMap(({ manifest: { name, bin = {} } }) =>
    Object.values(bin).map((file) => application.installed(`${name}/${file}`)),
  );
}

function pathsOf({ name, exports = {} }: Manifest): string[] {
  return Object.keys(exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => `${name}${subpath.slice(1)}`);
}

function optionalPeersOf({ peerDependenciesMeta = {} }: Manifest): string[] {
  return Object.keys(peerDependenciesMeta).filter((peer) => peerDependenciesMeta[peer]?.optional === true);
}

function isMissing(peer: string, message: string): boolean {
  return message.includes(`Cannot find package '${peer}'`) || message.includes(`Cannot find module '${peer}'`);
}

/**
 * Runs in a process of its own, so that no path finds modules that another has loaded. First comes `require`, because
 * it refuses a module with a top-level await only if that was not imported before.
 */
async function load(application: FreshApplication, path: string): Promise<string> {
  const statement = `require('${path}'); void import('${path}')`;
  return application
    .node(['--input-type=commonjs', '--eval', statement], '.')
    .then(() => '')
    .catch((error: Error) => error.message);
}
