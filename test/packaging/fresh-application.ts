import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { type PackedPackage, ROOT, packAll } from './published-packages.js';

const FOLDER = join(ROOT, 'test/packaging');
const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

/**
 * An application outside the repository that has installed the tarballs beside the packages of its lockfile. Its
 * folders are kinds of projects, such as `esm` and `cjs`: they have the same sources and configurations of their own.
 */
export class FreshApplication {
  private constructor(
    readonly folder: string,
    readonly packages: readonly PackedPackage[],
  ) {}

  /** @param name the folder in `apps` with the package.json, the lockfile and the kinds. */
  static async install(name: string, kinds: readonly string[]): Promise<FreshApplication> {
    const folder = await mkdtemp(join(tmpdir(), `tablequeue-${name}-`));
    await cp(join(FOLDER, 'apps', name), folder, { recursive: true });
    const packages = await packAll(folder);
    const application = new FreshApplication(folder, packages);
    await application.installAlso();
    await Promise.all(kinds.map((kind) => application.add('test/packaging/application', `${kind}/src`)));
    return application;
  }

  /** Installs other versions of packages. */
  async installAlso(...others: readonly string[]): Promise<void> {
    // npm would remove the tarballs if it were not given them again.
    const tarballs = this.packages.map(({ tarball }) => tarball);
    // No package of ours has anything to run at its install, which the test of the tarballs sees to.
    const quietly = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await this.run('npm', ['install', ...quietly, ...tarballs, ...others], '.');
    await this.copyBinding();
  }

  /** Copies the TypeScript of a folder of the repository. */
  async add(from: string, to: string): Promise<void> {
    const files = (await readdir(join(ROOT, from))).filter((file) => file.endsWith('.ts'));
    await Promise.all(files.map((file) => cp(join(ROOT, from, file), join(this.folder, to, file))));
  }

  /** Runs a JavaScript file of the application, or of a package it has installed. Returns what it prints. */
  node(args: readonly string[], kind: string): Promise<string> {
    return this.run(process.execPath, args, kind);
  }

  /** The path of a file that was installed. */
  installed(path: string): string {
    return join(this.folder, 'node_modules', path);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** @throws an error with everything it has printed, where it fails or does not end. */
  private async run(command: string, args: readonly string[], kind: string): Promise<string> {
    const { NODE_ENV: _ours, NODE_OPTIONS: _alsoOurs, JEST_WORKER_ID: _too, ...environment } = process.env;
    const options = { cwd: join(this.folder, kind), env: { ...environment, NO_COLOR: '1' }, timeout: 240_000 };
    const run = promisify(execFile)(command, args, { ...options, maxBuffer: 16 * 1024 * 1024 });
    const { stdout, stderr } = await run.catch((error: { message: string; stdout: string; stderr: string }) => {
      throw new Error(`In ${kind}: ${error.message}\n${error.stdout}\n${error.stderr}`);
    });
    return stdout + stderr;
  }

  /** Compiling better-sqlite3 takes a minute, and where there is no prebuilt one the workspace has done so already. */
  private async copyBinding(): Promise<void> {
    const versions = await Promise.all([ROOT, this.folder].map((folder) => versionIn(folder, 'better-sqlite3')));
    if (versions[0] !== versions[1]) {
      throw new Error(
        `The workspace has better-sqlite3 ${versions[0]}: put it into test/packaging/apps/*/package.json`,
      );
    }
    await mkdir(dirname(join(this.folder, BINDING)), { recursive: true });
    await cp(join(ROOT, BINDING), join(this.folder, BINDING));
  }
}

/** Returns the version of a package that is installed in a folder. */
export async function versionIn(folder: string, name: string): Promise<string> {
  const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
