/** The arguments are wrong. The process exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
