import { signal } from '@preact/signals';
import type { QueryClient } from '@tanstack/preact-query';

import type { Overview } from '../contract.js';
import { syncClock } from '../format/times.js';
import { isPageVisible } from '../state/page-visibility.js';
import { apiUrl, read } from './request.js';

/** How new figures arrive: by server-sent events, by polling, or not at all since a time of the browser's clock. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'polling' }
  | { readonly kind: 'disconnected'; readonly since: number };

export const connection = signal<Connection>({ kind: 'connecting' });

const POLL_INTERVAL = 5000;
/** How long to wait for the first event, in ms. */
const FIRST_EVENT_TIMEOUT = 5000;
/** How long to wait for a new stream, in ms. It is longer than browsers wait before they reconnect. */
const RECONNECT_TIMEOUT = 4000;
/** How long to wait for the next event, in ms. It is longer than the server pauses and reads. */
const EVENT_TIMEOUT = 10_000;
/** How long to wait for a response, in ms. Without it, a dead connection would look like a live one. */
const RESPONSE_TIMEOUT = 10_000;

/**
 * Keeps the cached overview and the shown queues up to date, by server-sent events, or by polling if these do not come
 * through. A hidden page does neither: browsers allow six connections per server for all tabs together.
 */
export class LiveOverview {
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the stream has ended and the browser is reconnecting. */
  private isReconnecting = false;

  constructor(private readonly client: QueryClient) {}

  start(): void {
    const connectWhileVisible = () => (isPageVisible.value ? this.connect() : this.disconnect());
    // `subscribe` also calls it immediately.
    isPageVisible.subscribe(connectWhileVisible);
    addEventListener('online', connectWhileVisible);
  }

  /** Opens a new stream. */
  private connect(): void {
    this.disconnect();
    const source = new EventSource(apiUrl('live'), { withCredentials: true });
    this.source = source;
    source.addEventListener('overview', (event: MessageEvent<string>) => {
      this.stopTimer();
      this.isReconnecting = false;
      connection.value = { kind: 'live' };
      this.store(JSON.parse(event.data) as Overview);
      this.timer = setTimeout(() => this.poll(source), EVENT_TIMEOUT);
    });
    source.addEventListener('problem', () => this.poll(source));
    source.addEventListener('error', () => this.onStreamError(source));
    // A proxy that buffers events looks like an open connection without events.
    this.timer = setTimeout(() => this.poll(source), FIRST_EVENT_TIMEOUT);
  }

  private async readOnce(): Promise<void> {
    try {
      this.store(await read<Overview>('overview', {}, AbortSignal.timeout(RESPONSE_TIMEOUT)));
      connection.value = { kind: 'polling' };
    } catch {
      if (connection.value.kind !== 'disconnected') {
        connection.value = { kind: 'disconnected', since: Date.now() };
      }
    }
  }

  /** The server ends each stream after some minutes, and the browser reconnects. So an error is not shown at once. */
  private onStreamError(source: EventSource): void {
    if (source.readyState === EventSource.CLOSED) {
      this.poll(source);
    } else if (!this.isReconnecting) {
      this.isReconnecting = true;
      this.stopTimer();
      this.timer = setTimeout(() => this.poll(source), RECONNECT_TIMEOUT);
    }
  }

  private disconnect(): void {
    this.stopTimer();
    this.isReconnecting = false;
    this.source?.close();
    this.source = undefined;
  }

  /** Polls until an event arrives. The browser reconnects on its own, unless the server refused the stream. */
  private poll(source: EventSource): void {
    if (this.source !== source) {
      return;
    }
    this.stopTimer();
    void this.readOnce();
    const isRefused = source.readyState === EventSource.CLOSED;
    this.timer = setTimeout(() => (isRefused ? this.connect() : this.poll(source)), POLL_INTERVAL);
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private store(overview: Overview): void {
    syncClock(overview.takenAt);
    this.client.setQueryData(['overview'], overview);
    // Shown queues are read again. A request in progress continues, or slow responses would never arrive.
    void this.client.invalidateQueries({ queryKey: ['queues'] }, { cancelRefetch: false });
  }
}
