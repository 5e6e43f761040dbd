import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { AlertMessage } from '@tablequeue/typeorm';

/** What a receiver got. */
export interface ReceivedRequest {
  readonly id: string;
  readonly body: string;
  readonly isGenuine: boolean;
}

/** A real receiver of alerts, which verifies signatures. */
export class WebhookReceiver {
  static readonly key = Buffer.alloc(32, 7);
  static readonly secret = `whsec_${WebhookReceiver.key.toString('base64')}`;
  readonly requests: ReceivedRequest[] = [];
  /** What it answers to the next requests; 204 after them. */
  readonly answers: number[] = [];
  /** Called with each request, before its answer. */
  onRequest: () => void = () => undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const receiver: WebhookReceiver = new WebhookReceiver(
      createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          const id = String(request.headers['webhook-id']);
          const signed = `${id}.${String(request.headers['webhook-timestamp'])}.${body}`;
          const expected = Buffer.from(
            `v1,${createHmac('sha256', WebhookReceiver.key).update(signed).digest('base64')}`,
          );
          const given = Buffer.from(String(request.headers['webhook-signature']));
          const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
          receiver.requests.push({ id, body, isGenuine });
          receiver.onRequest();
          response.writeHead(receiver.answers.shift() ?? 204).end();
        });
      }),
    );
    await new Promise<void>((resolve) => {
      receiver.server.listen(0, '127.0.0.1', resolve);
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook/of-a-team`;
  }

  /** The messages that it got. */
  get messages(): AlertMessage[] {
    return this.requests.map(({ body }) => (JSON.parse(body) as { readonly data: AlertMessage }).data);
  }

  /** Forgets its requests, and what it answers to the next ones. */
  forget(): void {
    this.requests.splice(0);
    this.answers.splice(0);
    this.onRequest = () => undefined;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }
}
