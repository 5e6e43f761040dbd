import { Injectable } from '@nestjs/common';
import type { WorkerEvents } from '@tablequeue/typeorm';
import type { WorkerEventEmitter } from '@tablequeue/typeorm/internal';

import { type QueueEvent, type QueueEventName, toQueueEvent } from './queue-event.types.js';

interface Listening {
  readonly name: QueueEventName;
  /** Takes what the worker tells by the name. */
  readonly relay: () => void;
  readonly onEnd: () => void;
}

/**
 * Stands between the worker of the process, which comes when the application starts, and those who listen, who may come
 * before it. What nobody listens to the worker does not tell.
 */
@Injectable()
export class QueueEventHub {
  private readonly listening = new Set<Listening>();
  private source: WorkerEventEmitter | undefined;
  private hasEnded = false;

  /** Lets a worker tell. */
  connect(source: WorkerEventEmitter): void {
    this.source = source;
    // A listener for each job definition is no leak.
    source.setMaxListeners(0);
    this.listening.forEach((each) => this.attach(each));
  }

  /**
   * Calls the listener for each event of a name.
   *
   * @param onEnd called when no event will come any more; at once where that is so already.
   * @returns a function that ends it, without calling `onEnd`.
   */
  listen<Name extends QueueEventName>(
    name: Name,
    listener: (event: QueueEvent<Name>) => unknown,
    onEnd: () => void = () => undefined,
  ): () => void {
    if (this.hasEnded) {
      onEnd();
      return () => undefined;
    }
    const relay = (...told: WorkerEvents[Name]) => listener(toQueueEvent(name, told));
    const listening: Listening = { name, relay, onEnd };
    this.listening.add(listening);
    this.attach(listening);
    return () => this.detach(listening);
  }

  /** The worker has stopped. */
  end(): void {
    this.hasEnded = true;
    for (const each of this.listening) {
      this.detach(each);
      each.onEnd();
    }
  }

  private attach({ name, relay }: Listening): void {
    this.source?.on(name, relay);
  }

  private detach(listening: Listening): void {
    this.listening.delete(listening);
    this.source?.off(listening.name, listening.relay);
  }
}
