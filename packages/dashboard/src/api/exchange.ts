import type { IncomingMessage, ServerResponse } from 'node:http';

import type { AbstractHttpAdapter } from '@nestjs/core';

import type { Problem } from '../contract/index.js';

/** A request as Express and Fastify have it. */
export interface PlatformRequest {
  readonly method: string;
  readonly url: string;
  /** Express: the URL that was asked for, where routers have changed `url`. */
  readonly originalUrl?: string;
  readonly headers: IncomingMessage['headers'];
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A response of either; only the adapter knows which. */
export type PlatformResponse = object;

/** No page of another origin shows these in a frame, and no browser guesses what they are. */
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Answers, on either platform. It is sent from here and not returned to Nest: an interceptor of the application that puts
 * all answers into an envelope would change what the pages understand.
 */
export function send(
  adapter: AbstractHttpAdapter,
  response: PlatformResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...headers })) {
    adapter.setHeader(response, name, value);
  }
  adapter.reply(response, body, status);
}

/** Sends a value as JSON. Nobody keeps it. */
export function sendJson(
  adapter: AbstractHttpAdapter,
  response: PlatformResponse,
  value: unknown,
  status = 200,
  type = 'application/json',
): void {
  const headers = { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' };
  send(adapter, response, status, headers, JSON.stringify(value));
}

/** Ends a request with a problem. */
export function sendProblem(adapter: AbstractHttpAdapter, response: PlatformResponse, problem: Problem): void {
  sendJson(adapter, response, problem, problem.status, 'application/problem+json');
}

/**
 * Takes the response from the platform, to write to it for long.
 *
 * @returns Node's own response.
 */
export function takeOver(response: PlatformResponse): ServerResponse {
  const fastify = response as { readonly raw?: ServerResponse; readonly hijack?: () => void };
  if (fastify.raw === undefined) {
    return response as ServerResponse;
  }
  fastify.hijack?.();
  return fastify.raw;
}
