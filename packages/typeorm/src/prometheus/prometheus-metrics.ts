import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { type GaugeName, GaugeReader } from '../instrumentation/gauges.js';
import type {
  Instrumentation,
  ObservedQueue,
  ProcessOperation,
  Processing,
  SendOperation,
  Sending,
  StepOperation,
  Stepping,
  EndedAttempt,
} from '../instrumentation/instrumentation.js';
import { assertKnownOptions } from '../options.js';

/** Options of `PrometheusMetrics`. */
export interface PrometheusOptions {
  /** The registry of its metrics. Default: a new one. */
  readonly registry?: Registry;
}

/** The bucket boundaries of the handler duration, in s. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const SEVERAL = 'several';

/**
 * Metrics for Prometheus, for applications without a collector. Pass it as `instrumentation` of `TableQueue` or
 * `TableQueueModule`, and serve `text()` at a path of your application.
 *
 * Counters and histograms cover this process. Gauges are read from the database on demand, at most once in five
 * seconds. Every process reports the same gauges, so use their maximum.
 */
export class PrometheusMetrics implements Instrumentation {
  readonly registry: Registry;
  private readonly enqueued: Counter<'queue' | 'job' | 'result'>;
  private readonly attempts: Counter<'queue' | 'job' | 'outcome'>;
  private readonly duration: Histogram<'queue' | 'job' | 'result'>;
  private readonly stepDuration: Histogram<'queue' | 'job' | 'result'>;
  private readonly readers: GaugeReader[] = [];

  /** @throws UnknownOptionError for an option that does not exist. */
  constructor(options: PrometheusOptions = {}) {
    assertKnownOptions(options, ['registry']);
    this.registry = options.registry ?? new Registry();
    const registers = [this.registry];
    this.enqueued = new Counter({
      name: 'tablequeue_enqueued_jobs_total',
      help: 'Jobs that this process has enqueued (result="ok"), or tried to (result="error").',
      labelNames: ['queue', 'job', 'result'],
      registers,
    });
    this.attempts = new Counter({
      name: 'tablequeue_attempts_total',
      help: 'Attempts of this process whose outcome is known, by outcome.',
      labelNames: ['queue', 'job', 'outcome'],
      registers,
    });
    this.duration = new Histogram({
      name: 'tablequeue_handler_duration_seconds',
      help: 'How long a call of a handler of this process has taken.',
      labelNames: ['queue', 'job', 'result'],
      buckets: BUCKETS,
      registers,
    });
    this.stepDuration = new Histogram({
      name: 'tablequeue_step_duration_seconds',
      help: 'How long a try of a durable step of this process has taken.',
      labelNames: ['queue', 'job', 'result'],
      buckets: BUCKETS,
      registers,
    });
    this.gauge('jobs', 'tablequeue_jobs', 'Jobs that are not finished, each state of a queue up to 10,000.', [
      'queue',
      'state',
    ]);
    this.gauge(
      'oldestReady',
      'tablequeue_oldest_ready_job_age_seconds',
      'For how long the oldest ready job of a queue has been due.',
      ['queue'],
    );
    this.gauge('failed', 'tablequeue_failed_jobs', 'Failed jobs that are kept, up to 10,000.', []);
    this.gauge(
      'problems',
      'tablequeue_problems',
      'What health() reports: how many jobs, queues or workers have the problem, 0 after its end.',
      ['kind', 'severity'],
    );
    this.gauge('workers', 'tablequeue_workers', 'Workers of all processes that hold their lease and claim jobs.', []);
  }

  /** The `Content-Type` of `text()`. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** Returns all metrics of the registry, in Prometheus's format. Without gauges if the database is unavailable. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  send({ queue = SEVERAL, name = SEVERAL, count }: SendOperation): Sending {
    return {
      trace: undefined,
      run: (work) => work(),
      succeeded: () => this.enqueued.inc({ queue, job: name, result: 'ok' }, count),
      failed: () => this.enqueued.inc({ queue, job: name, result: 'error' }, count),
    };
  }

  process({ queue, name }: ProcessOperation): Processing {
    const since = performance.now();
    return {
      run: (work) => work(),
      ended: (jobs) => {
        const result = jobs.some(({ error }) => error) ? 'error' : 'ok';
        this.duration.observe({ queue, job: name, result }, (performance.now() - since) / 1000);
      },
    };
  }

  step({ queue, name }: StepOperation): Stepping {
    const since = performance.now();
    return {
      run: (work) => work(),
      ended: (error) => {
        const result = error ? 'error' : 'ok';
        this.stepDuration.observe({ queue, job: name, result }, (performance.now() - since) / 1000);
      },
    };
  }

  recordOutcome({ queue, name, outcome }: EndedAttempt): void {
    this.attempts.inc({ queue, job: name, outcome });
  }

  observe(queue: ObservedQueue): void {
    this.readers.push(new GaugeReader(queue));
  }

  private gauge(
    name: GaugeName,
    metric: string,
    help: string,
    labels: readonly ('queue' | 'state' | 'kind' | 'severity')[],
  ): void {
    const { readers, registry } = this;
    const gauge = new Gauge({
      name: metric,
      help,
      labelNames: ['database', 'prefix', ...labels],
      registers: [registry],
      async collect() {
        const read = await Promise.all(readers.map(async (reader) => ({ reader, samples: await reader.read() })));
        gauge.reset();
        for (const { reader, samples } of read) {
          const { database, prefix } = reader;
          for (const { gauge: own, value, ...labelsOf } of samples) {
            if (own === name) {
              gauge.set({ database, prefix, ...labelsOf }, value);
            }
          }
        }
      },
    });
  }
}
