/** There is no fault of that name. */
export class UnknownFaultError extends Error {
  override readonly name = 'UnknownFaultError';

  constructor(fault: string, known: readonly string[]) {
    super(`There is no fault "${fault}". There are: ${known.join(', ')}.`);
  }
}
