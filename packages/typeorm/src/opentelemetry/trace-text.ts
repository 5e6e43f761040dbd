import { type Context, ROOT_CONTEXT, propagation } from '@opentelemetry/api';

/**
 * A context as text, to be stored with a job: what the application's propagator makes of it, `traceparent` and
 * `tracestate` as a rule, and `baggage` where the application propagates it. Undefined where there is nothing to
 * propagate.
 */
export function textOf(context: Context): string | undefined {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  return Object.keys(carrier).length === 0 ? undefined : JSON.stringify(carrier);
}

/** The context that was stored with a job; without a span where there is none, or what is stored cannot be read. */
export function contextOf(text: string | null): Context {
  if (text === null) {
    return ROOT_CONTEXT;
  }
  try {
    return propagation.extract(ROOT_CONTEXT, JSON.parse(text));
  } catch {
    return ROOT_CONTEXT;
  }
}
