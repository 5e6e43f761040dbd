import type { RunningCommand } from '../packaging/terminal.js';
import type { ChildProcess } from './child-process.js';
import type { TestDatabase } from './database.js';
import { waitFor } from './wait-for.js';

/** The sample's program, as it was built. */
export const SHOP = new URL('../../apps/sample/dist/main.js', import.meta.url);

/** A job as the shop returns it. */
export interface ShopJob {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
}

/** An order as the shop returns it. */
export interface OrderWithJobs {
  readonly order: { readonly id: number; readonly status: string };
  readonly jobs: readonly ShopJob[];
}

/** What the shop's page is made of. */
export interface ShopControls {
  readonly receiver: string;
  readonly workers: readonly {
    readonly name: string;
    readonly pid: number;
    readonly isReady: boolean;
    readonly jobs: readonly ShopJob[];
  }[];
  readonly killed: readonly { readonly name: string; readonly jobs: readonly ShopJob[] }[];
  readonly alerts: readonly { readonly text: string }[];
}

/** What the environment of a shop on a database is. */
export function shopEnvironment({ engine, url }: TestDatabase): Record<string, string> {
  return { DATABASE_URL: engine === 'sqlite' ? `sqlite:${url}` : url, PORT: '0' };
}

/** A shop that listens, as its page sees it. */
export class Shop {
  private constructor(
    /** Without a slash at its end. */
    readonly address: string,
  ) {}

  /** Waits for the address that it prints. */
  static async of(program: ChildProcess | RunningCommand, patience = 60_000): Promise<Shop> {
    const address = await waitFor(
      'the shop prints the address of its page',
      () => {
        if (program.hasEnded) {
          throw new Error(`The shop has ended:\n${program.output}`);
        }
        return /what to try: (http:\/\/\S+)\/ /.exec(program.output)?.[1];
      },
      patience,
    );
    return new Shop(address);
  }

  /** @param path with a slash at its beginning. */
  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.address}${path}`);
    if (!response.ok) {
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
    return (await response.json()) as T;
  }

  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}): Promise<Response> {
    // The second is for the API of the dashboard.
    const headers = { 'content-type': 'application/json', 'x-tablequeue-dashboard': '1' };
    return fetch(`${this.address}${path}`, { method, headers, body: JSON.stringify(body) });
  }

  /** Places orders as a button of the page does; most are paid within seconds. */
  async order(count: number): Promise<number[]> {
    const response = await this.send('POST', '/controls/orders', { count });
    return ((await response.json()) as { orders: number[] }).orders;
  }

  controls(): Promise<ShopControls> {
    return this.get('/controls');
  }

  /** Waits until all workers have started, and returns their processes. */
  untilWorking(): Promise<number[]> {
    return waitFor(
      'its workers work',
      async () => {
        const { workers } = await this.controls();
        return workers.every(({ isReady }) => isReady) && workers.map(({ pid }) => pid);
      },
      60_000,
    );
  }

  untilJob(orderId: number, name: string, state: string): Promise<ShopJob> {
    return waitFor(`${name} of order ${orderId} has ${state}`, async () =>
      (await this.get<OrderWithJobs>(`/orders/${orderId}`)).jobs.find(
        (job) => job.name === name && job.state === state,
      ),
    );
  }

  /** Kills a worker that runs something, and returns what it ran when it died. */
  killBusyWorker(): Promise<{ readonly name: string; readonly jobs: readonly ShopJob[] }> {
    return waitFor('a worker is killed while it runs a job', async () => {
      const busy = (await this.controls()).workers.find(({ jobs }) => jobs.some(({ name }) => name === 'label.print'));
      if (!busy) {
        return undefined;
      }
      await this.send('DELETE', `/controls/workers/${busy.pid}`);
      // It may have ended its job just before.
      return (await this.controls()).killed.find(({ name, jobs }) => name === busy.name && jobs.length > 0);
    });
  }
}
