/** The database's driver is not installed in the project. */
export class MissingDriverError extends Error {
  override readonly name = 'MissingDriverError';

  constructor(
    readonly driver: string,
    folder: string,
  ) {
    super(`The driver ${driver} is not installed in ${folder}. Install it there: npm install ${driver}`);
  }
}
