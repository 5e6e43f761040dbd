import type { WorkerOptions } from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';
import { ChildProcess } from './child-process.js';
import type { TestDatabase } from './database.js';
import { waitFor } from './wait-for.js';

const WORKER = new URL('../dist/processes/worker.js', import.meta.url);

/** Which database a worker process works on. */
export interface WorkerConfig {
  readonly engine: Engine;
  readonly url: string;
}

/** How a worker process works. */
export type WorkerProcessOptions = Omit<WorkerOptions, 'logger'>;

/** The reports of a worker process. */
export interface WorkerMessage {
  readonly started?: boolean;
  /** How many jobs it holds. */
  readonly held?: number;
  /** How many jobs it reported as lost. */
  readonly lost?: number;
  /** The jobs of the last batch it was given. */
  readonly batch?: readonly number[];
}

/** A worker in a process of its own: see `processes/worker.ts`. */
export class WorkerProcess {
  /** Its latest report. */
  readonly reported: { -readonly [Name in keyof WorkerMessage]: WorkerMessage[Name] } = {};

  private constructor(readonly child: ChildProcess) {
    child.onMessage((message) => Object.assign(this.reported, message));
  }

  static spawn(
    { engine, url }: TestDatabase,
    options: WorkerProcessOptions,
    environment: Record<string, string> = {},
  ): WorkerProcess {
    const config = JSON.stringify({ engine, url, ...options });
    return new WorkerProcess(ChildProcess.start(WORKER, { CONFIG: config, ...environment }));
  }

  async started(): Promise<void> {
    await waitFor(
      'the worker process has started',
      () => {
        if (!this.reported.started && this.child.hasEnded) {
          throw new Error(this.child.output);
        }
        return this.reported.started;
      },
      60_000,
    );
  }

  /** Lets the held jobs end. */
  release(): void {
    this.child.send('release');
  }
}
