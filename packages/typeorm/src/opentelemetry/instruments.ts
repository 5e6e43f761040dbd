import type { Attributes, Counter, Histogram, Meter, ObservableGauge } from '@opentelemetry/api';

import { GaugeReader, type GaugeName } from '../instrumentation/gauges.js';
import type { ObservedQueue } from '../instrumentation/instrumentation.js';
import { DATABASE, DESTINATION, PREFIX, PROBLEM_KIND, SEVERITY, STATE, SYSTEM } from './attributes.js';

/** The bucket boundaries of the conventions, in s. */
const advice = {
  explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
};

export class Instruments {
  readonly sent: Counter;
  readonly sendDuration: Histogram;
  readonly consumed: Counter;
  readonly processDuration: Histogram;
  readonly stepDuration: Histogram;
  readonly attempts: Counter;
  private readonly gauges: Record<GaugeName, ObservableGauge>;

  constructor(private readonly meter: Meter) {
    this.sent = meter.createCounter('messaging.client.sent.messages', {
      unit: '{message}',
      description: 'Jobs that this process has enqueued, or tried to.',
    });
    this.sendDuration = meter.createHistogram('messaging.client.operation.duration', {
      unit: 's',
      description: 'How long an enqueue has taken.',
      advice,
    });
    this.consumed = meter.createCounter('messaging.client.consumed.messages', {
      unit: '{message}',
      description: 'Jobs that were handed to handlers of this process.',
    });
    this.processDuration = meter.createHistogram('messaging.process.duration', {
      unit: 's',
      description: 'How long a call of a handler has taken.',
      advice,
    });
    this.stepDuration = meter.createHistogram('tablequeue.step.duration', {
      unit: 's',
      description: 'How long a try of a durable step has taken.',
      advice,
    });
    this.attempts = meter.createCounter('tablequeue.attempts', {
      unit: '{attempt}',
      description: 'Attempts of this process whose outcome is known, by outcome.',
    });
    this.gauges = {
      jobs: meter.createObservableGauge('tablequeue.job.count', {
        unit: '{job}',
        description: 'Jobs that are not finished, by queue and state, each up to 10,000.',
      }),
      oldestReady: meter.createObservableGauge('tablequeue.job.oldest_ready.age', {
        unit: 's',
        description: 'For how long the oldest ready job of a queue has been due.',
      }),
      failed: meter.createObservableGauge('tablequeue.job.failed.count', {
        unit: '{job}',
        description: 'Failed jobs that are kept, up to 10,000.',
      }),
      problems: meter.createObservableGauge('tablequeue.problem.count', {
        unit: '{item}',
        description: 'What health() reports: how many jobs, queues or workers have the problem, 0 after its end.',
      }),
      workers: meter.createObservableGauge('tablequeue.worker.count', {
        unit: '{worker}',
        description: 'Workers of all processes that hold their lease.',
      }),
    };
  }

  /** Observes the figures of a queue whenever metrics are collected. */
  observe(queue: ObservedQueue): void {
    const reader = new GaugeReader(queue);
    this.meter.addBatchObservableCallback(async (result) => {
      const common: Attributes = { [SYSTEM]: 'tablequeue', [DATABASE]: reader.database, [PREFIX]: reader.prefix };
      for (const sample of await reader.read()) {
        result.observe(this.gauges[sample.gauge], sample.value, {
          ...common,
          ...(sample.queue !== undefined && { [DESTINATION]: sample.queue }),
          ...(sample.state !== undefined && { [STATE]: sample.state }),
          ...(sample.kind !== undefined && { [PROBLEM_KIND]: sample.kind }),
          ...(sample.severity !== undefined && { [SEVERITY]: sample.severity }),
        });
      }
    }, Object.values(this.gauges));
  }
}
