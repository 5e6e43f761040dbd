import { Injectable } from '@nestjs/common';
import type { WorkerEvents } from '@tablequeue/typeorm';
import type { WorkerEventEmitter } from '@tablequeue/typeorm/internal';

import { type QueueEvent, type QueueEventName, toQueueEvent } from './queue-event.types.js';

interface Listening {
  readonly name: QueueEventName;
  /** Receives the worker's event. */
  readonly relay: () => void;
  readonly onEnd: () => void;
}

/**
 * Connects listeners with the worker of this process, which may start after them. The worker emits only events that
 * have listeners.
 */
@Injectable()
export class QueueEventHub {
  private readonly listening = new Set<Listening>();
  private source: WorkerEventEmitter | undefined;
  private hasEnded = false;

  connect(source: WorkerEventEmitter): void {
    this.source = source;
    // A listener for each job definition is no leak.
    source.setMaxListeners(0);
    this.listening.forEach((each) => this.attach(each));
  }

  /**
   * Calls the listener for each event of a name.
   *
   * @param onEnd called when no more events can come, at once if that is so already.
   * @returns a function that stops listening, without calling `onEnd`.
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
    const relay = (...args: WorkerEvents[Name]) => listener(toQueueEvent(name, args));
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
