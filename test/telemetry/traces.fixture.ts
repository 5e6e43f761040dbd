import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { type JobHandler, TableQueue, TableQueueWorker, defineJob, fixed } from '@tablequeue/typeorm';
import { type OpenTelemetryOptions, openTelemetry } from '@tablequeue/typeorm/opentelemetry';

import type { Engine } from '../servers/engines.js';
import { Telemetry } from '../support/telemetry.js';
import { useWorkbench } from '../support/use-workbench.js';

export const mail = defineJob<number>('mail', { queue: 'post', retry: { attempts: 2, backoff: fixed(0) } });
export const parcel = defineJob<number>('parcel', { queue: 'post' });
export const report = defineJob('report', { queue: 'reports' });

export const contextOf = (span: ReadableSpan | undefined) => span?.spanContext();
export const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext;

/** A workbench whose queues record spans. Declares the hooks of its suite. */
export function useTraces(engine: Engine) {
  const telemetry = new Telemetry();
  beforeAll(() => void telemetry.register());
  const workers: TableQueueWorker[] = [];
  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));
  const bench = useWorkbench(engine);
  afterEach(() => telemetry.reset());
  afterAll(() => telemetry.close());

  function traced(options: OpenTelemetryOptions = {}): TableQueue {
    const { tracerProvider, meterProvider } = telemetry;
    const instrumentation = openTelemetry({ tracerProvider, meterProvider, ...options });
    return new TableQueue(bench.dataSource, { clock: bench.clock, instrumentation });
  }

  async function work(queue: TableQueue, ...handlers: JobHandler[]): Promise<void> {
    const worker = new TableQueueWorker(queue, handlers, {
      logger: bench.logger,
      pollInterval: '20ms',
      maintenance: false,
    });
    workers.push(worker);
    await worker.start();
  }

  /** Does something in a span of the application's. */
  async function inSpan<T>(work: () => Promise<T>): Promise<T> {
    return telemetry.tracerProvider.getTracer('application').startActiveSpan('request', async (span) => {
      const result = await work();
      span.end();
      return result;
    });
  }

  return { telemetry, bench, traced, work, inSpan };
}
