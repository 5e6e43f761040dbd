import type { QueueLogger } from '@tablequeue/typeorm';

/** Keeps what is logged, for assertions. */
export class RecordingLogger implements QueueLogger {
  readonly lines: string[] = [];

  log(message: string): void {
    this.lines.push(`log ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
}
