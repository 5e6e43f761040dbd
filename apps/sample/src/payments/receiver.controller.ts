import { Controller, HttpCode, Post, ServiceUnavailableException } from '@nestjs/common';

/** Stands for the seller's system: it accepts every third notice only. */
@Controller('receiver')
export class ReceiverController {
  private calls = 0;

  @Post('notices')
  @HttpCode(204)
  accept(): void {
    if (++this.calls % 3 !== 0) {
      throw new ServiceUnavailableException('Try again later.');
    }
  }
}
