import type { StoredRequest, WorkerReport } from '../../store/workers/worker-report.js';
import type { WorkerState } from '../../tables/worker.js';
import { EventLoopMonitor } from './event-loop-monitor.js';

/** A shorter block of the event loop is not reported as one, in ms: on a busy machine any process has such blocks. */
const SHORTEST_BLOCK = 1_000;

/** What a report is about. */
export interface ReportedWorker {
  /** The version of the application's code; null if unknown. */
  readonly codeVersion: string | null;
  readonly state: () => WorkerState;
  /** Called when something new is requested of the worker. */
  readonly onRequested: (request: StoredRequest) => void;
}

/** Makes the reports that a worker stores with its lease, and knows what is requested of the worker. */
export class WorkerReporter {
  private readonly eventLoop = new EventLoopMonitor();
  private readonly shortestBlock: number;
  private known: StoredRequest = { requested: 'work', by: null, at: null };

  /** @param lease in ms: a block of a third of it delays a renewal. */
  constructor(
    private readonly worker: ReportedWorker,
    lease: number,
  ) {
    this.shortestBlock = Math.max(SHORTEST_BLOCK, lease / 3);
  }

  get codeVersion(): string | null {
    return this.worker.codeVersion;
  }

  get state(): WorkerState {
    return this.worker.state();
  }

  /** What is requested of the worker, as it knows it. */
  get request(): StoredRequest {
    return this.known;
  }

  start(): void {
    this.eventLoop.start();
  }

  stop(): void {
    this.eventLoop.stop();
  }

  /** Returns the report since the last one. */
  takeReport(): WorkerReport {
    const { rss, heapUsed } = readMemory();
    const { p99, max } = this.eventLoop.take();
    const isBlocked = max > this.shortestBlock;
    return { state: this.state, rss, heapUsed, delayP99: p99, delayMax: max, isBlocked };
  }

  /** A report may not be stored: the next one includes its delay. */
  putBack({ delayP99, delayMax }: WorkerReport): void {
    this.eventLoop.putBack({ p99: delayP99, max: delayMax });
  }

  /** A renewal has read a new request. */
  apply(request: StoredRequest): void {
    this.known = request;
    this.worker.onRequested(request);
  }
}

/** On Linux it reads a file, which fails while the process has no free file descriptor. The lease must be renewed then. */
function readMemory(): Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'> {
  try {
    return process.memoryUsage();
  } catch {
    return { rss: 0, heapUsed: 0 };
  }
}
