import type { ServerResponse } from 'node:http';

import { Injectable, type OnModuleDestroy } from '@nestjs/common';

import { ApiProblem } from '../api/api-problem.error.js';
import { toProblem } from '../api/to-problem.js';
import type { Overview } from '../contract/index.js';
import type { Database } from '../databases/database.registry.js';

/** The interval of comments on an idle stream, in ms. Proxies close connections that send nothing. */
const HEARTBEAT = 15_000;
/** How long a browser waits before it reconnects, in ms. The default is 3 or 5 s. */
const RETRY = 1_000;
/** How long a stream lasts, in ms. Then the browser reconnects, and the guards run again. */
const LONGEST = 5 * 60_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Caching or compression would delay events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
};

/** The open streams of server-sent events. It ends them when the application stops. */
@Injectable()
export class LiveStreams implements OnModuleDestroy {
  private readonly open = new Set<ServerResponse>();
  private isStopping = false;

  onModuleDestroy(): void {
    this.isStopping = true;
    this.open.forEach((response) => response.end());
  }

  /** @throws ApiProblem if the application is stopping. */
  assertRunning(): void {
    if (this.isStopping) {
      throw new ApiProblem('stopping', 'The application is stopping and accepts no more streams.');
    }
  }

  /** Sends each new overview of a database until the page disconnects. */
  stream(response: ServerResponse, { overview: reader }: Database): void {
    if (response.destroyed) {
      // It disconnected while the guards ran: `close` was emitted already.
      return;
    }
    const isBehind = () => response.writableNeedDrain || response.writableEnded;
    // A page that reads too slowly misses some. Each overview is complete, so nothing is lost.
    const send = (text: () => string) => isBehind() || response.write(text());
    // A server that stops waits for connections that are kept alive, Fastify for 72 s.
    response.shouldKeepAlive = false;
    response.writeHead(200, HEADERS);
    response.flushHeaders();
    const unsubscribe = reader.subscribe({
      onOverview: (overview) => send(() => eventOf(overview)),
      onError: (error) => send(() => `event: problem\ndata: ${JSON.stringify(toProblem(error))}\n\n`),
    });
    const heartbeat = setInterval(() => send(() => ': keep-alive\n\n'), HEARTBEAT).unref();
    const end = setTimeout(() => response.end(), LONGEST).unref();
    this.open.add(response);
    response.once('close', () => {
      clearInterval(heartbeat);
      clearTimeout(end);
      unsubscribe();
      this.open.delete(response);
    });
  }
}

const EVENTS = new WeakMap<Overview, string>();

/** Serialized once for all pages. */
function eventOf(overview: Overview): string {
  const event = EVENTS.get(overview) ?? `retry: ${RETRY}\nevent: overview\ndata: ${JSON.stringify(overview)}\n\n`;
  EVENTS.set(overview, event);
  return event;
}
