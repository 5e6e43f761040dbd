/** An option of `verify` has a value that makes no sense. */
export class InvalidVerifyOptionError extends Error {
  override readonly name = 'InvalidVerifyOptionError';

  constructor(
    readonly option: string,
    value: unknown,
    expected: string,
  ) {
    super(`The option "${option}" is ${JSON.stringify(value) ?? String(value)}, but must be ${expected}.`);
  }
}
