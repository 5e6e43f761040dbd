import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';

/** Turns a thrown value into an error. Never throws, also not for a revoked proxy. */
export function toError(thrown: unknown): Error {
  try {
    // The second also holds for errors of another realm, such as those of `vm`.
    if (thrown instanceof Error || isNativeError(thrown)) {
      return thrown;
    }
    return new Error(`A value that is no Error was thrown: ${valueText(thrown)}`, { cause: thrown });
  } catch {
    return new Error('A value that is no Error and has no text was thrown.');
  }
}

/** The message of a thrown value, with the details of its response. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return messageWithDetails(toError(thrown));
  } catch {
    return 'an error whose text cannot be read';
  }
}

/** @throws what getters of the error throw. */
export function messageWithDetails(error: Error): string {
  // Not always a text, whatever its type.
  const { message }: { message: unknown } = error;
  const details = responseDetails(error);
  return details.length === 0 ? String(message) : `${String(message)}: ${details.join('; ')}`;
}

/** The text of a value that is no error. @throws what the value's own functions throw. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { depth: 2, maxArrayLength: 20, maxStringLength: 1000 });
}

/** Nest's `ValidationPipe` puts the rules that a value breaks into the response of its exception, not its message. */
function responseDetails(error: Error & { getResponse?: unknown }): readonly string[] {
  const response: unknown = typeof error.getResponse === 'function' ? error.getResponse() : undefined;
  const details: unknown = (response as { message?: unknown } | null | undefined)?.message;
  return Array.isArray(details) ? details.map(valueText) : [];
}
