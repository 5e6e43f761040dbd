/* A process with the OpenTelemetry SDK registered as an application does. It enqueues a job, or runs some, by ROLE; then it
 * sends its spans to its parent and ends. */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { TableQueue, TableQueueWorker, transactionalHandler } from '@tablequeue/typeorm';
import { openTelemetry } from '@tablequeue/typeorm/opentelemetry';
import { DataSource } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { connectionOptions } from '../support/connection-options.js';
import { countJob } from '../support/jobs.js';
import type { TracedSpan } from '../support/traced-process.js';

const { ENGINE = 'sqlite', URL = '', ROLE } = process.env;

const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const dataSource = await new DataSource(connectionOptions(ENGINE as Engine, URL)).initialize();
const queue = new TableQueue(dataSource, { instrumentation: openTelemetry() });

if (ROLE === 'enqueue') {
  await trace.getTracer('application').startActiveSpan('request', async (span) => {
    await dataSource.transaction((manager) => queue.enqueue(countJob, 1, { manager }));
    span.end();
  });
} else {
  const count = transactionalHandler(countJob, async (job, { manager }) => {
    await trace.getTracer('application').startActiveSpan('write', async (span) => {
      await manager.query('INSERT INTO run (job, process) VALUES (?, ?)', [job, process.pid]);
      span.end();
    });
  });
  const worker = new TableQueueWorker(queue, [count], { pollInterval: '20ms' });
  const done = new Promise((resolve) => worker.events.once('succeeded', resolve));
  await worker.start();
  await done;
  await worker.stop();
}

const spans: TracedSpan[] = exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  traceId: span.spanContext().traceId,
  id: span.spanContext().spanId,
  parent: span.parentSpanContext?.spanId,
}));
process.send?.(spans);
await dataSource.destroy();
