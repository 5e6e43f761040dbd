import { Injectable, Logger } from '@nestjs/common';
import type { AlertMessage } from '@tablequeue/typeorm';

/** The number of messages that are kept. */
const MOST_KEPT = 5;

/** A line of a message, as the page shows it. */
export interface ShownAlert {
  readonly id: string;
  readonly text: string;
}

/** Keeps the alerts of the queue for the page. An application would wake someone up. */
@Injectable()
export class AlertInbox {
  /** Newest first. */
  readonly received: ShownAlert[] = [];
  private readonly logger = new Logger('Alerts');

  /** @param id the same when a message is sent again. */
  add(id: string, { opened, resolved }: AlertMessage): void {
    if (this.received.some((alert) => alert.id === id)) {
      return;
    }
    const lines = [
      ...opened.map(({ severity, message }) => `${severity}: ${message}`),
      ...resolved.map(({ kind }) => `resolved: ${kind}`),
    ];
    lines.forEach((line) => this.logger.warn(line));
    this.received.unshift({ id, text: lines.join(' ') });
    this.received.splice(MOST_KEPT);
  }
}
