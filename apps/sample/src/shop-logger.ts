import { ConsoleLogger } from '@nestjs/common';

const START_UP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Leaves out what Nest tells about its own start, so that the first lines are about the shop. */
export class ShopLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!START_UP.has(String(rest.at(-1)))) {
      super.log(message, ...rest);
    }
  }
}
