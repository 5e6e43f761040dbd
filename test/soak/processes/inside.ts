import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { type Message, PLAN_VARIABLE, type ProcessPlan, type ProcessVitals, type Request } from './messages.js';

/** What the code of a role leaves running. */
export interface Running {
  /** Reported with the vitals; `errors` among them must be zero. */
  readonly counts: Readonly<Record<string, number>>;
  /** Reported with the vitals, and then cleared. */
  readonly latencies?: number[];
  /** Enqueues nothing more. Resolves when everything under way has ended. */
  quiet?(): Promise<void>;
  /** Stops everything, in order. */
  stop(): Promise<void>;
}

/** Runs the code of a role in this process, until SIGTERM. */
export async function runInside(begin: (plan: ProcessPlan) => Promise<Running>): Promise<void> {
  const collectGarbage = garbageCollector();
  const running = await begin(JSON.parse(process.env[PLAN_VARIABLE] ?? '{}') as ProcessPlan);
  process.on('message', (request: Request) => {
    if (request === 'measure') {
      collectGarbage();
      tell({ vitals: vitalsOf(running) });
    } else {
      void running.quiet?.().then(() => tell('quiet'));
    }
  });
  process.once('SIGTERM', () => void running.stop().then(() => process.exit()));
  tell('ready');
}

function vitalsOf({ counts, latencies = [] }: Running): ProcessVitals {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    resources[kind] = (resources[kind] ?? 0) + 1;
  }
  return {
    rss,
    heap: heapUsed,
    external,
    cpu: (user + system) / 1000,
    resources,
    counts: { ...counts },
    latencies: latencies.splice(0),
  };
}

/** Without an option on the command line, which releases of Node.js do not all take from the environment. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

function tell(message: Message): void {
  process.send?.(message);
}
