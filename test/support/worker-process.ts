import type { WorkerOptions } from '@tablequeue/typeorm';

import type { Engine } from '../servers/engines.js';
import { ChildProcess } from './child-process.js';
import type { TestDatabase } from './database.js';
import { waitFor } from './wait-for.js';

/** Which database a worker process works on. */
export interface WorkerConfig {
  readonly engine: Engine;
  readonly url: string;
}

/** What a worker process tells. */
export interface WorkerMessage {
  readonly started?: boolean;
  /** How many jobs it holds. */
  readonly held?: number;
  /** How many jobs it was told to have lost. */
  readonly lost?: number;
}

/** A worker in a process of its own: see `processes/worker.ts`. */
export class WorkerProcess {
  /** What it has told last. */
  readonly told: { started?: boolean; held?: number; lost?: number } = {};

  private constructor(readonly child: ChildProcess) {
    child.onMessage((message) => Object.assign(this.told, message));
  }

  static async start(database: TestDatabase, options: Omit<WorkerOptions, 'logger'> = {}): Promise<WorkerProcess> {
    const { engine, url } = database;
    const config = JSON.stringify({ engine, url, ...options });
    const worker = new WorkerProcess(ChildProcess.start('test/dist/processes/worker.js', { CONFIG: config }));
    await waitFor(
      'the worker process has started',
      () => {
        if (worker.child.hasEnded) {
          throw new Error(worker.child.output);
        }
        return worker.told.started;
      },
      60_000,
    );
    return worker;
  }

  /** Lets the held jobs end. */
  release(): void {
    this.child.send('release');
  }
}
