import type { ServerResponse } from 'node:http';

import { Injectable, type OnModuleDestroy } from '@nestjs/common';

import { ApiProblem } from '../api/api-problem.js';
import { toProblem } from '../api/to-problem.js';
import type { Overview } from '../contract/index.js';
import type { Database } from '../databases.js';

/** How often a connection on which nothing is said shows that it lives, in ms: proxies close those that do not. */
const HEARTBEAT = 15_000;
/** How soon a browser is to come back after the end of a stream, in ms; by themselves they wait 3 or 5 s. */
const RETRY = 1_000;
/** How long a stream lasts, in ms. Then the page asks anew, and the guards look again at who asks. */
const LONGEST = 5 * 60_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Neither kept nor compressed, which would hold events back.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
};

/** The open streams of server-sent events. They end with the application: nothing else would end them. */
@Injectable()
export class LiveStreams implements OnModuleDestroy {
  private readonly open = new Set<ServerResponse>();
  private isStopping = false;

  onModuleDestroy(): void {
    this.isStopping = true;
    this.open.forEach((response) => response.end());
  }

  /** @throws ApiProblem when the application stops. */
  assertRunning(): void {
    if (this.isStopping) {
      throw new ApiProblem('stopping', 'The application is being stopped: it answers no more for long.');
    }
  }

  /** Sends the overviews of a database as they come, until the page goes. */
  stream(response: ServerResponse, { overview: reader }: Database): void {
    if (response.destroyed) {
      // It has gone while a guard was asked, and would not close again.
      return;
    }
    const isBehind = () => response.writableNeedDrain || response.writableEnded;
    // A page that reads too slowly misses some: each tells everything.
    const send = (text: () => string) => isBehind() || response.write(text());
    // An open connection that has nothing more to say would keep a server that ends waiting, Fastify's for 72 s.
    response.shouldKeepAlive = false;
    response.writeHead(200, HEADERS);
    response.flushHeaders();
    const forget = reader.listen({
      onOverview: (overview) => send(() => eventOf(overview)),
      onError: (error) => send(() => `event: problem\ndata: ${JSON.stringify(toProblem(error))}\n\n`),
    });
    const heartbeat = setInterval(() => send(() => ': here\n\n'), HEARTBEAT).unref();
    const end = setTimeout(() => response.end(), LONGEST).unref();
    this.open.add(response);
    response.once('close', () => {
      clearInterval(heartbeat);
      clearTimeout(end);
      forget();
      this.open.delete(response);
    });
  }
}

const EVENTS = new WeakMap<Overview, string>();

/** Made once for all pages. */
function eventOf(overview: Overview): string {
  const event = EVENTS.get(overview) ?? `retry: ${RETRY}\nevent: overview\ndata: ${JSON.stringify(overview)}\n\n`;
  EVENTS.set(overview, event);
  return event;
}
