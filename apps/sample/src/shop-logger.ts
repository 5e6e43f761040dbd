import { ConsoleLogger } from '@nestjs/common';

const START_UP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** The start of the stacks of errors that the shop causes on purpose. */
const ON_PURPOSE = /^(?:UnrecoverableJobError: 550 |Error: The receiver answered )/;

/** Omits the lines of Nest about its own start, so that the first lines are about the shop. */
export class ShopLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!START_UP.has(String(rest.at(-1)))) {
      super.log(message, ...rest);
    }
  }

  /** Prints an intended error on one line, without its stack. The dashboard shows the stack. */
  override error(message: unknown, ...rest: unknown[]): void {
    super.error(message, ...rest.filter((part) => !ON_PURPOSE.test(String(part))));
  }
}
