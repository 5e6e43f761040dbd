import { type Context, ROOT_CONTEXT, propagation } from '@opentelemetry/api';

/**
 * Returns a context as text, to store with a job: the headers of the application's propagator, usually `traceparent`,
 * `tracestate` and `baggage`. Undefined if there are none.
 */
export function textOf(context: Context): string | undefined {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  return Object.keys(carrier).length === 0 ? undefined : JSON.stringify(carrier);
}

/** Returns the context that was stored with a job; an empty one if there is none, or if it cannot be read. */
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
