import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a proxy changes what it passes on. */
export interface ProxyRules {
  /** The path that the application is asked for instead of this one; undefined where the request is not for it. */
  readonly path: (path: string) => string | undefined;
  /** Whether the application sees its own address in the header Host, and not the one that the browser has. */
  readonly changesHost: boolean;
}

/** A proxy between browsers and an application, on loopback. */
export class ReverseProxy {
  private constructor(
    private readonly server: Server,
    /** Without a slash at its end. */
    readonly url: string,
  ) {}

  /** @param target the application's URL. */
  static async open(target: string, rules: ProxyRules): Promise<ReverseProxy> {
    const server = createServer((incoming, answer) => pass(incoming, answer, new URL(target), rules));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ReverseProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

function pass(incoming: IncomingMessage, answer: ServerResponse, target: URL, { path, changesHost }: ProxyRules): void {
  // A browser with a proxy asks it for whole URLs.
  const { pathname, search } = new URL(incoming.url ?? '/', target);
  const asked = path(pathname);
  if (asked === undefined) {
    answer.writeHead(404).end('The proxy knows no such path.');
    return;
  }
  const headers = { ...incoming.headers, ...(changesHost && { host: target.host }) };
  const { hostname, port } = target;
  const outgoing = request({ hostname, port, method: incoming.method, path: asked + search, headers }, (upstream) => {
    answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
    // Small packets must not wait for more.
    answer.flushHeaders();
    upstream.pipe(answer);
  });
  outgoing.on('error', () => answer.destroy());
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
