import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { type RunningServer, supervise } from '../supervise.js';
import { NeverReadyError } from '../wait-until-ready.js';
import type { ClusterNode } from './cluster.js';

/** How to run a server of a cluster. */
export interface NodeRun {
  /** The folder for all its files. */
  readonly folder: string;
  readonly url: string;
  /** The program with its arguments. `again` is true after the first start. */
  command(again: boolean): Promise<readonly string[]>;
  /** Rejects while it is not ready. */
  probe(): Promise<unknown>;
  /** Makes the ready server a member. */
  join(again: boolean): Promise<void>;
}

/** A server of a cluster that tests can kill, and start again with its data. */
export class SupervisedNode implements ClusterNode {
  /** The first one removes the folder that all of them use. */
  private readonly runs: RunningServer[] = [];

  constructor(private readonly run: NodeRun) {}

  get url(): string {
    return this.run.url;
  }

  async start(): Promise<void> {
    const again = this.runs.length > 0;
    const folder = again ? join(this.run.folder, `run-${this.runs.length + 1}`) : this.run.folder;
    await mkdir(folder, { recursive: true });
    const command = await this.run.command(again);
    this.runs.push(await supervise({ command, folder, signal: 'KILL', probe: () => this.run.probe() }));
    await this.run.join(again);
  }

  kill(): void {
    process.kill(this.runs.at(-1)!.processId, 'SIGKILL');
  }

  async restart(): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      // Its files show that now, and it starts with those of another one.
      if (!(error instanceof NeverReadyError)) {
        throw error;
      }
      await this.start();
    }
  }

  async stop(): Promise<void> {
    for (const run of this.runs.toReversed()) {
      await run.stop();
    }
  }
}
