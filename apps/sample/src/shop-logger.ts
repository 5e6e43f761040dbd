import { ConsoleLogger } from '@nestjs/common';

const START_UP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** How the stacks begin of what fails because the shop makes it fail. */
const ON_PURPOSE = /^(?:UnrecoverableJobError: 550 |Error: The receiver answered )/;

/** Leaves out what Nest tells about its own start, so that the first lines are about the shop. */
export class ShopLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!START_UP.has(String(rest.at(-1)))) {
      super.log(message, ...rest);
    }
  }

  /** One line for what fails on purpose: the dashboard has its stack. */
  override error(message: unknown, ...rest: unknown[]): void {
    super.error(message, ...rest.filter((part) => !ON_PURPOSE.test(String(part))));
  }
}
