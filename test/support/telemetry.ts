import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

import { waitFor } from './wait-for.js';

/** One data point of a metric. */
export interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

/** The real SDK, which keeps everything in memory. */
export class Telemetry {
  readonly tracerProvider: BasicTracerProvider;
  readonly meterProvider: MeterProvider;
  private readonly exporter = new InMemorySpanExporter();
  private readonly metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);

  constructor() {
    this.tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.exporter)] });
    const reader = new PeriodicExportingMetricReader({ exporter: this.metrics, exportIntervalMillis: 3_600_000 });
    this.meterProvider = new MeterProvider({ readers: [reader] });
  }

  /** Registers it for the process, as only one at a time can be. */
  register(): this {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    return this;
  }

  /** The spans that have ended. */
  get spans(): ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  named(name: string): ReadableSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** Waits until so many spans of a name have ended. */
  until(name: string, count = 1): Promise<ReadableSpan[]> {
    return waitFor(`${count} spans "${name}"`, () => {
      const spans = this.named(name);
      return spans.length >= count && spans;
    });
  }

  /** The points of a metric at this moment. */
  async points(metric: string): Promise<Point[]> {
    this.metrics.reset();
    await this.meterProvider.forceFlush();
    return this.metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((scope) => scope.metrics)
      .filter(({ descriptor }) => descriptor.name === metric)
      .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ attributes, value })));
  }

  reset(): void {
    this.exporter.reset();
  }

  async close(): Promise<void> {
    await this.tracerProvider.shutdown();
    await this.meterProvider.shutdown();
    context.disable();
    propagation.disable();
  }
}
