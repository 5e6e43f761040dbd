import type { IncomingMessage, ServerResponse } from 'node:http';

import type { AbstractHttpAdapter } from '@nestjs/core';

import type { Problem } from '../contract/index.js';

/** The members of a request that Express and Fastify have in common. */
export interface PlatformRequest {
  readonly method: string;
  readonly url: string;
  /** Express only: the requested URL, because routers change `url`. */
  readonly originalUrl?: string;
  readonly headers: IncomingMessage['headers'];
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A response of Express or Fastify, for the methods of the HTTP adapter. */
export type PlatformResponse = object;

/** Browsers do not guess content types, send no referrer, and do not load the responses into other origins. */
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Sends a response on either platform. It is not returned to Nest, because an interceptor of the application that wraps
 * all responses would break the pages.
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

/** Sends a value as JSON that must not be cached. */
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

export function sendProblem(adapter: AbstractHttpAdapter, response: PlatformResponse, problem: Problem): void {
  sendJson(adapter, response, problem, problem.status, 'application/problem+json');
}

/**
 * Takes over the response from the platform, for a stream.
 *
 * @returns the response of Node.js.
 */
export function takeOver(response: PlatformResponse): ServerResponse {
  const fastify = response as { readonly raw?: ServerResponse; readonly hijack?: () => void };
  if (fastify.raw === undefined) {
    return response as ServerResponse;
  }
  fastify.hijack?.();
  return fastify.raw;
}
