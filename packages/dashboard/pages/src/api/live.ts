import { signal } from '@preact/signals';
import type { QueryClient } from '@tanstack/preact-query';

import type { Overview } from '../contract.js';
import { learnDatabaseTime } from '../format/times.js';
import { isSeen } from '../parts/seen.js';
import { apiUrl, read } from './request.js';

/** How the figures arrive: pushed by the server, asked for, or not at all since a time of the browser's clock. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'polling' }
  | { readonly kind: 'disconnected'; readonly since: number };

export const connection = signal<Connection>({ kind: 'connecting' });

const POLL_EVERY = 5000;
const MISSING_AFTER = 5000;
/** Longer than a browser waits before it connects again. */
const LOST_AFTER = 4000;
/** Longer than a server rests between two readings, and than a reading takes: then its connection is open in name only. */
const SILENT_AFTER = 10_000;
/** How long an answer may take: one that never comes would leave the page saying that all is well. */
const ANSWER_WITHIN = 10_000;

/**
 * Keeps the overview of the cache up to date: from the server's events, and by asking where these do not come through.
 * A page nobody looks at takes neither: browsers allow six connections to a server, for all tabs together.
 */
export class LiveOverview {
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the stream has ended, and the browser tries to get another one. */
  private isLost = false;

  constructor(private readonly client: QueryClient) {}

  start(): void {
    const listenWhileSeen = () => (isSeen.value ? this.listen() : this.rest());
    // Calls it at once, too.
    isSeen.subscribe(listenWhileSeen);
    addEventListener('online', listenWhileSeen);
  }

  /** From the beginning. */
  private listen(): void {
    this.rest();
    const source = new EventSource(apiUrl('live'), { withCredentials: true });
    this.source = source;
    source.addEventListener('overview', (event: MessageEvent<string>) => {
      this.stopTimer();
      this.isLost = false;
      connection.value = { kind: 'live' };
      this.take(JSON.parse(event.data) as Overview);
      this.timer = setTimeout(() => this.poll(source), SILENT_AFTER);
    });
    source.addEventListener('problem', () => this.poll(source));
    source.addEventListener('error', () => this.lost(source));
    // A proxy that holds events back looks like a connection that is open and says nothing.
    this.timer = setTimeout(() => this.poll(source), MISSING_AFTER);
  }

  private async ask(): Promise<void> {
    try {
      this.take(await read<Overview>('overview', {}, AbortSignal.timeout(ANSWER_WITHIN)));
      connection.value = { kind: 'polling' };
    } catch {
      if (connection.value.kind !== 'disconnected') {
        connection.value = { kind: 'disconnected', since: Date.now() };
      }
    }
  }

  /** The server ends each stream now and then, and the browser comes back by itself: no reason to say anything yet. */
  private lost(source: EventSource): void {
    if (source.readyState === EventSource.CLOSED) {
      this.poll(source);
    } else if (!this.isLost) {
      this.isLost = true;
      this.stopTimer();
      this.timer = setTimeout(() => this.poll(source), LOST_AFTER);
    }
  }

  private rest(): void {
    this.stopTimer();
    this.isLost = false;
    this.source?.close();
    this.source = undefined;
  }

  /** Asks once, and again and again until an event comes; the browser tries to reconnect by itself unless it was refused. */
  private poll(source: EventSource): void {
    if (this.source !== source) {
      return;
    }
    this.stopTimer();
    void this.ask();
    const isRefused = source.readyState === EventSource.CLOSED;
    this.timer = setTimeout(() => (isRefused ? this.listen() : this.poll(source)), POLL_EVERY);
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private take(overview: Overview): void {
    learnDatabaseTime(overview.takenAt);
    this.client.setQueryData(['overview'], overview);
  }
}
