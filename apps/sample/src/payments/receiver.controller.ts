import { Controller, HttpCode, Post, ServiceUnavailableException } from '@nestjs/common';

import { Receiver } from './receiver.js';

/** What the seller's system is asked by. */
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
