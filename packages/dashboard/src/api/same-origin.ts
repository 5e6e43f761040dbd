import { ApiProblem } from './api-problem.js';
import type { PlatformRequest } from './exchange.js';

/** What only a script of the same origin can send, unless the application allows it to others. */
const HEADER = 'x-tablequeue-dashboard';

/**
 * Refuses a write that a page of another origin has sent with the cookies of somebody who is signed in. The header makes
 * browsers ask first; but an application may have allowed all origins, so the browser's word on the origin counts too:
 * `Sec-Fetch-Site`, which no proxy changes but which only secure pages send, or else `Origin`. What is no browser sends
 * neither.
 *
 * @param origins those that are allowed besides.
 * @throws ApiProblem
 */
export function assertFromPages({ headers }: PlatformRequest, origins: readonly string[]): void {
  if (headers[HEADER] !== '1') {
    throw new ApiProblem(
      'cross-site',
      'A request that changes something needs the header "X-Tablequeue-Dashboard: 1".',
    );
  }
  if (!isOwn(headers) && !origins.includes(headers.origin ?? '')) {
    throw new ApiProblem(
      'cross-site',
      `The request comes from ${headers.origin ?? 'another site'}, not from the pages of this dashboard. If they are served there, ` +
        'name it in the option `origins`.',
    );
  }
  if (!/^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ApiProblem('unsupported-media-type', 'Send the body as application/json: {} where nothing is asked for.');
  }
}

function isOwn({ origin, host, 'sec-fetch-site': site }: PlatformRequest['headers']): boolean {
  if (site !== undefined) {
    return site === 'same-origin' || site === 'none';
  }
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
