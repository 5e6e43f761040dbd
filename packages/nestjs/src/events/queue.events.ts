import { Inject, Injectable } from '@nestjs/common';
import { InvalidOptionError } from '@tablequeue/typeorm';
import { logError } from '@tablequeue/typeorm/internal';
import type { Observable, Subscriber, TeardownLogic } from 'rxjs';

import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { QueueEventHub } from './queue-event.hub.js';
import { GuardedObservable } from './guarded.observable.js';
import { QUEUE_EVENT_NAMES, type QueueEvent, type QueueEventName } from './queue-event.types.js';
import { RESOLVED_OPTIONS } from '../table-queue.constants.js';

/**
 * The events of this process's worker as observables. You may subscribe at any time, also before the application has
 * started. They complete when the worker has stopped.
 *
 * The error of an observer is logged. It affects neither a job nor the process.
 */
@Injectable()
export class QueueEvents {
  /** All events; `type` discriminates. */
  readonly all: Observable<QueueEvent> = this.of(...QUEUE_EVENT_NAMES);

  constructor(
    private readonly hub: QueueEventHub,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
  ) {}

  /**
   * The events of these names: `events.of('failed')`, `events.of('failed', 'retried')`.
   *
   * @throws InvalidOptionError for an unknown event, or without a name.
   */
  of<Name extends QueueEventName>(...names: readonly Name[]): Observable<QueueEvent<Name>> {
    if (names.length === 0) {
      throw new InvalidOptionError('events', names, 'at least one name');
    }
    names.forEach((name) => assertQueueEventName('event', name));
    const report = (error: unknown) => logError(this.options.logger, 'An observer of queue events failed', error);
    return new GuardedObservable(report, (subscriber) => this.relay(names, subscriber));
  }

  private relay<Name extends QueueEventName>(
    names: readonly Name[],
    subscriber: Subscriber<QueueEvent<Name>>,
  ): TeardownLogic {
    const ends = names.map((name) =>
      this.hub.listen(
        name,
        (event) => subscriber.next(event),
        () => subscriber.complete(),
      ),
    );
    return () => ends.forEach((end) => end());
  }
}

/** @throws InvalidOptionError naming `source`. */
export function assertQueueEventName(source: string, name: unknown): asserts name is QueueEventName {
  if (!QUEUE_EVENT_NAMES.some((each) => each === name)) {
    throw new InvalidOptionError(source, name, `one of ${QUEUE_EVENT_NAMES.join(', ')}`);
  }
}
