import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The project's root. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The fields of a package.json that are used here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly license?: string;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly keywords?: readonly string[];
  readonly repository?: Readonly<Record<string, string>>;
  readonly publishConfig?: Readonly<Record<string, unknown>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A package as `npm pack` has made it. */
export interface PackedPackage {
  readonly manifest: Manifest;
  /** Its folder in the workspace. */
  readonly folder: string;
  /** The path of the tarball. */
  readonly tarball: string;
  /** What is in it, relative to its folder. */
  readonly files: readonly string[];
  /** In bytes, compressed. */
  readonly size: number;
  /** In bytes. */
  readonly unpackedSize: number;
}

/** The entry of one package in the output of `npm pack --json`. */
interface PackReport {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** The folders of the workspace's packages that are not private. */
export async function publishedFolders(): Promise<string[]> {
  const names = await readdir(join(ROOT, 'packages'));
  const folders = names.toSorted().map((name) => join(ROOT, 'packages', name));
  const manifests = await Promise.all(folders.map(readManifest));
  return folders.filter((_folder, index) => manifests[index]?.private !== true);
}

/** Packs what was built, all of it, into a folder. */
export async function packAll(destination: string): Promise<PackedPackage[]> {
  const folders = await publishedFolders();
  // One process for all: npm takes longer to start than to pack.
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--json', '--pack-destination', destination, ...folders],
    {
      cwd: ROOT,
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  const reports = Object.values(JSON.parse(stdout) as Record<string, PackReport>);
  return Promise.all(folders.map(async (folder) => packed(folder, await readManifest(folder), reports, destination)));
}

function packed(
  folder: string,
  manifest: Manifest,
  reports: readonly PackReport[],
  destination: string,
): PackedPackage {
  const report = reports.find(({ name }) => name === manifest.name);
  if (!report) {
    throw new Error(`npm pack reported nothing for ${folder}`);
  }
  const { filename, size, unpackedSize, files } = report;
  return {
    manifest,
    folder,
    tarball: join(destination, filename),
    files: files.map(({ path }) => path).toSorted(),
    size,
    unpackedSize,
  };
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}
