import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { waitFor } from '../support/wait-for.js';
import { type PackedPackage, ROOT } from './published-packages.js';
import { RunningCommand, type TerminalOptions, runToTheEnd } from './terminal.js';
import type { WalkStep } from './walk.js';

const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
/** A command that runs until it is stopped. */
const SERVER = /npm run start:prod$/;
/** The line that a server, or a worker without one, prints when it has started. */
const STARTED = /Nest application successfully started|Role "worker"/;

/**
 * Follows the steps of a document, in a folder outside the repository, with three differences. The packages come from
 * tarballs, because a fresh version is published nowhere; better-sqlite3 is not compiled again; servers listen on a
 * free port.
 * Servers go on until another is started after something else was done.
 */
export class Walker {
  private folder: string;
  private servers: RunningCommand[] = [];
  private mayStartBeside = false;
  /** What the last commands have printed. */
  private printed = '';

  /**
   * @param folder an empty one.
   * @param environment what the reader's shell has; what the document exports is left out where it is there already.
   * @param port takes the place of 3000.
   */
  constructor(
    folder: string,
    private readonly packages: readonly PackedPackage[],
    private readonly environment: Readonly<Record<string, string>>,
    private readonly port: number,
  ) {
    this.folder = folder;
  }

  /** @throws when a command fails, or its output is not the expected one. */
  async take(step: WalkStep): Promise<void> {
    switch (step.kind) {
      case 'write':
        return this.write(step.path, step.code);
      case 'see':
        return this.see(step.text);
      case 'run':
        this.printed = '';
        for (const command of step.commands) {
          await this.run(command);
        }
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.splice(0).map((server) => server.end()));
  }

  private async write(path: string, code: string): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
    this.mayStartBeside = false;
  }

  private async run(command: string): Promise<void> {
    const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
    if (folder) {
      this.folder = join(this.folder, folder);
      return;
    }
    const [, variable] = /^export (\w+)=/.exec(command) ?? [];
    if (variable && variable in this.environment) {
      return;
    }
    if (SERVER.test(command)) {
      await this.startServer(command);
      return;
    }
    this.mayStartBeside = false;
    this.printed += await runToTheEnd(this.adapted(command), this.terminal);
    if (/^npm install .*better-sqlite3/.test(command)) {
      await mkdir(dirname(join(this.folder, BINDING)), { recursive: true });
      await cp(join(ROOT, BINDING), join(this.folder, BINDING));
    }
  }

  private async startServer(command: string): Promise<void> {
    if (!this.mayStartBeside) {
      await this.stop();
    }
    const server = RunningCommand.start(command, this.terminal);
    this.servers.push(server);
    this.mayStartBeside = true;
    await waitFor(`"${command}" has started`, () => STARTED.test(server.output) || server.hasEnded, 60_000);
    if (server.hasEnded) {
      throw new Error(`"${command}" has ended:\n${server.output}`);
    }
  }

  private async see(text: string): Promise<void> {
    const parts = text.split('…').map((part) => part.trim());
    const isSeen = () => {
      const printed = [this.printed, ...this.servers.map(({ output }) => output)].join('\n');
      return parts.every((part) => printed.includes(part)) ? true : undefined;
    };
    await waitFor(`to be seen: ${text}`, isSeen).catch((error: Error) => {
      const output = this.servers.map((server) => server.output).join('\n');
      throw new Error(`${error.message}\nThere was:\n${this.printed}\n${output}`);
    });
  }

  private adapted(command: string): string {
    const onPort = command.replaceAll('localhost:3000', `localhost:${this.port}`);
    if (!/^npm (install|i) /.test(command)) {
      return onPort;
    }
    return [...new Set(onPort.split(' ').flatMap((word) => this.tarballsOf(word) ?? word))].join(' ');
  }

  /** Of a package of ours, and of its dependencies among ours. */
  private tarballsOf(name: string): string[] | undefined {
    const ours = this.packages.find(({ manifest }) => manifest.name === name);
    return (
      ours && [
        ours.tarball,
        ...Object.keys(ours.manifest.dependencies ?? {}).flatMap((each) => this.tarballsOf(each) ?? []),
      ]
    );
  }

  private get terminal(): TerminalOptions {
    const { NODE_ENV: _ours, NODE_OPTIONS: _alsoOurs, JEST_WORKER_ID: _too, ...inherited } = process.env;
    const environment = {
      ...inherited,
      ...this.environment,
      PORT: String(this.port),
      NO_COLOR: '1',
      npm_config_ignore_scripts: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_prefer_offline: 'true',
      npm_config_yes: 'true',
    };
    return { folder: this.folder, environment };
  }
}
