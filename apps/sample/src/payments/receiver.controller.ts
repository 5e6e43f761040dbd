import { Controller, HttpCode, Post, ServiceUnavailableException } from '@nestjs/common';

import { Receiver } from './receiver.js';

/** The HTTP endpoint of the seller's system. */
@Controller('receiver')
export class ReceiverController {
  constructor(private readonly receiver: Receiver) {}

  @Post('notices')
  @HttpCode(204)
  accept(): void {
    if (!this.receiver.accepts()) {
      throw new ServiceUnavailableException('Try again later.');
    }
  }
}
