import { Inject, Injectable, type Logger } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';

import { DuplicateScheduleError } from '../errors/index.js';
import type { CodeSchedule } from '../handlers/queue.explorer.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS, TABLE_QUEUE } from '../table-queue.constants.js';

/** Defines the schedules of `@Recurring` when the application starts, for the queues this process works on. */
@Injectable()
export class QueueSchedules {
  private readonly logger: Logger;
  private schedules: readonly CodeSchedule[] = [];

  constructor(
    @Inject(TABLE_QUEUE) private readonly queue: TableQueue,
    @Inject(RESOLVED_OPTIONS) options: ResolvedModuleOptions,
  ) {
    this.logger = options.logger;
  }

  /** @throws DuplicateScheduleError */
  setSchedules(schedules: readonly CodeSchedule[]): void {
    const sources = new Map<string, string>();
    for (const { name, source } of schedules) {
      const other = sources.get(name);
      if (other !== undefined) {
        throw new DuplicateScheduleError(name, [other, source]);
      }
      sources.set(name, source);
    }
    this.schedules = schedules;
  }

  /**
   * Defines the schedules of these queues. Other processes define those of theirs. A wrong schedule stops the start, so
   * this runs before the first claim.
   */
  async defineSchedules(queues: readonly string[]): Promise<void> {
    const ours = this.schedules.filter(({ definition }) => queues.includes(definition.queue));
    for (const { name, definition, payload, options, source } of ours) {
      await this.queue.recurring.define(name, definition, payload, options, 'code');
      this.logger.log(`Schedule "${name}" enqueues job "${definition.name}", by ${source}`);
    }
  }

  /** Logs schedules that this application does not define. Another one may, or an older release that still runs. */
  async logForeignSchedules(): Promise<void> {
    const ours = new Set(this.schedules.map(({ name }) => name));
    for (const { name, definedBy } of await this.queue.recurring.list()) {
      if (definedBy === 'code' && !ours.has(name)) {
        this.logger.log(
          `Schedule "${name}" is not defined by this application. It goes on; ` +
            `if no other application defines it, remove it: recurring.remove('${name}')`,
        );
      }
    }
  }
}
