import {
  type Attributes,
  type Context,
  type Link,
  type MeterProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  context,
  metrics,
  trace,
} from '@opentelemetry/api';

import { InvalidOptionError } from '../errors/index.js';
import type {
  Instrumentation,
  ObservedQueue,
  ProcessOperation,
  ProcessedEnd,
  Processing,
  SendOperation,
  Sending,
  StepOperation,
  Stepping,
  EndedAttempt,
} from '../instrumentation/instrumentation.js';
import { assertKnownOptions } from '../options.js';
import {
  ATTEMPT,
  DESTINATION,
  ERROR_TYPE,
  JOB_NAME,
  MESSAGE_COUNT,
  MESSAGE_ID,
  OUTCOME,
  STEP,
  SYSTEM,
  operationAttributes,
  spanName,
} from './attributes.js';
import { Instruments } from './instruments.js';
import { contextOf, textOf } from './trace-context.js';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /**
   * How the span of a handler refers to the span of the enqueue. With `'parent'` it is its child, and has a link to it:
   * one trace covers the enqueue and all attempts. With `'link'` each attempt has a trace of its own, and a link to the
   * enqueue. Batch handlers always use links, because their jobs have several origins. Default: `'parent'`.
   */
  readonly correlation?: 'parent' | 'link';
  /** The provider of the tracer. Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** The provider of the meter. Default: the global one at the first use. */
  readonly meterProvider?: MeterProvider;
}

/** The name of the tracer and the meter. */
const SCOPE = '@tablequeue/typeorm';
const OPTIONS = ['correlation', 'tracerProvider', 'meterProvider'];

/**
 * Makes an instrumentation with traces and metrics by OpenTelemetry's semantic conventions for messaging. Pass it as
 * `instrumentation` of `TableQueue` or `TableQueueModule`. Without an SDK it does nothing.
 *
 * The application's propagator stores the context of the enqueue with the job, so traces continue in other processes.
 *
 * @throws InvalidOptionError for another `correlation`, UnknownOptionError for an option that does not exist.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Instrumentation {
  assertKnownOptions(options, OPTIONS);
  const { correlation = 'parent', tracerProvider, meterProvider } = options;
  if (correlation !== 'parent' && correlation !== 'link') {
    throw new InvalidOptionError('correlation', correlation, "'parent' or 'link'");
  }
  return new OpenTelemetryInstrumentation(correlation === 'parent', tracerProvider ?? trace, meterProvider ?? metrics);
}

class OpenTelemetryInstrumentation implements Instrumentation {
  private readonly tracer: Tracer;
  private createdInstruments: Instruments | undefined;

  constructor(
    private readonly isParent: boolean,
    tracerProvider: TracerProvider,
    private readonly meterProvider: Pick<MeterProvider, 'getMeter'>,
  ) {
    this.tracer = tracerProvider.getTracer(SCOPE);
  }

  /** Created at the first use: a meter that is created before the SDK is set up does nothing. */
  private get instruments(): Instruments {
    return (this.createdInstruments ??= new Instruments(this.meterProvider.getMeter(SCOPE)));
  }

  send(operation: SendOperation): Sending {
    const attributes = operationAttributes('send', operation);
    const span = this.tracer.startSpan(spanName('send', operation.queue), {
      kind: SpanKind.PRODUCER,
      attributes: { ...attributes, ...(operation.count !== 1 && { [MESSAGE_COUNT]: operation.count }) },
    });
    const within = trace.setSpan(context.active(), span);
    const since = performance.now();
    const end = (error?: Error) => {
      const measured = { ...attributes, ...errorType(error) };
      this.instruments.sent.add(operation.count, measured, within);
      this.instruments.sendDuration.record(secondsSince(since), measured, within);
      span.end();
    };
    return {
      trace: textOf(within),
      run: (work) => context.with(within, work),
      succeeded: (id) => {
        if (id !== undefined) {
          span.setAttribute(MESSAGE_ID, id);
        }
        end();
      },
      failed: (error) => {
        markFailed(span, error, error.message);
        span.recordException(error);
        end(error);
      },
    };
  }

  process(operation: ProcessOperation): Processing {
    const attributes = operationAttributes('process', operation);
    const { parent, links } = this.originOf(operation);
    const span = this.tracer.startSpan(
      spanName('process', operation.queue),
      { kind: SpanKind.CONSUMER, attributes: { ...attributes, ...ofMessages(operation) }, links },
      // Not the active context: it is that of the claim.
      parent,
    );
    const within = trace.setSpan(parent, span);
    const since = performance.now();
    this.instruments.consumed.add(operation.jobs.length, attributes, within);
    return {
      run: (work) => context.with(within, work),
      ended: (jobs) => {
        const error = markEnded(span, operation, jobs);
        const measured = { ...attributes, ...errorType(error) };
        this.instruments.processDuration.record(secondsSince(since), measured, within);
        span.end();
      },
    };
  }

  step({ jobId, step, ...operation }: StepOperation): Stepping {
    const attributes = operationAttributes('step', operation);
    const span = this.tracer.startSpan(spanName('step', operation.queue), {
      kind: SpanKind.INTERNAL,
      attributes: { ...attributes, [MESSAGE_ID]: jobId, [STEP]: step },
    });
    const within = trace.setSpan(context.active(), span);
    const since = performance.now();
    return {
      run: (work) => context.with(within, work),
      ended: (error) => {
        if (error) {
          markFailed(span, error, error.message);
          span.recordException(error);
        }
        this.instruments.stepDuration.record(secondsSince(since), { ...attributes, ...errorType(error) }, within);
        span.end();
      },
    };
  }

  recordOutcome({ queue, name, outcome }: EndedAttempt): void {
    this.instruments.attempts.add(1, {
      [SYSTEM]: 'tablequeue',
      [DESTINATION]: queue,
      [JOB_NAME]: name,
      [OUTCOME]: outcome,
    });
  }

  observe(queue: ObservedQueue): void {
    this.instruments.observe(queue);
  }

  private originOf({ jobs, isBatch }: ProcessOperation): { parent: Context; links: Link[] } {
    const origins = jobs.map(({ id, trace: text }) => ({ id, origin: contextOf(text) }));
    const links = origins.flatMap(({ id, origin }) => {
      const spanContext = trace.getSpanContext(origin);
      return spanContext ? { context: spanContext, attributes: { [MESSAGE_ID]: id } } : [];
    });
    const [first] = origins;
    if (isBatch || !first) {
      return { parent: ROOT_CONTEXT, links };
    }
    // Baggage stays.
    return { parent: this.isParent ? first.origin : trace.deleteSpan(first.origin), links };
  }
}

function ofMessages({ jobs, isBatch }: ProcessOperation): Attributes {
  const [job] = jobs;
  return isBatch || !job ? { [MESSAGE_COUNT]: jobs.length } : { [MESSAGE_ID]: job.id, [ATTEMPT]: job.attempt };
}

/** @returns the error of the first failed job, if there is one. */
function markEnded(span: Span, { isBatch }: ProcessOperation, jobs: readonly ProcessedEnd[]): Error | undefined {
  const failed = jobs.flatMap(({ id, error }) => (error ? { id, error } : []));
  const [first] = failed;
  if (!isBatch && jobs[0]?.outcome) {
    span.setAttribute(OUTCOME, jobs[0].outcome);
  }
  if (first) {
    markFailed(span, first.error, isBatch ? `${failed.length} of ${jobs.length} jobs failed` : first.error.message);
  }
  for (const { id, error } of failed) {
    span.addEvent('exception', {
      'exception.type': error.name,
      'exception.message': error.message,
      'exception.stacktrace': error.stack ?? '',
      [MESSAGE_ID]: id,
    });
  }
  return first?.error;
}

function markFailed(span: Span, error: Error, message: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  span.setAttributes(errorType(error));
}

function errorType(error: Error | undefined): Attributes {
  return error ? { [ERROR_TYPE]: error.name } : {};
}

function secondsSince(time: number): number {
  return (performance.now() - time) / 1000;
}
