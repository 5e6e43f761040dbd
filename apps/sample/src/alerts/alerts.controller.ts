import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import type { AlertMessage } from '@tablequeue/typeorm';

import { AlertInbox } from './alert-inbox.js';

/** The webhook for alerts. An application sets a `secret` and verifies the signature: see docs/guides/alerting.md. */
@Controller('alerts')
export class AlertsController {
  constructor(private readonly inbox: AlertInbox) {}

  @Post()
  @HttpCode(204)
  receive(@Headers('webhook-id') id: string, @Body() { data }: { readonly data: AlertMessage }): void {
    this.inbox.add(id, data);
  }
}
