/** How much of an error's text is kept, in characters. */
const LONGEST = 16_384;

/** An error as it is stored with its job: the stack, which begins with name and message, and its causes. */
export function errorText(error: Error): string {
  const parts: string[] = [];
  for (let current: unknown = error; current instanceof Error && parts.length < 5; current = current.cause) {
    parts.push(current.stack ?? `${current.name}: ${current.message}`);
  }
  const text = parts.join('\ncaused by: ').replaceAll('\0', '\\0').toWellFormed();
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters`;
}

/** Whatever was thrown, as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
