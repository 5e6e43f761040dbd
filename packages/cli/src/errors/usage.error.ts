/** The arguments make no sense. The process ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
