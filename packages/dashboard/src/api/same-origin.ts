import type { PlatformRequest } from '../http/platform-http.js';
import { ApiProblem } from './api-problem.error.js';

/** Scripts of other origins can only send this header if the application's CORS settings allow it. */
const HEADER = 'x-tablequeue-dashboard';

/**
 * Refuses a write that a page of another origin sent with the cookies of a signed-in user.
 *
 * The header forces a CORS preflight, but the application may allow all origins. So `Sec-Fetch-Site` is checked too,
 * which proxies do not change. Browsers send it only from secure pages; without it, `Origin` is compared with `Host`.
 * Clients that are not browsers send neither.
 *
 * @param origins further allowed origins.
 * @throws ApiProblem if the request comes from another origin, or is not JSON.
 */
export function assertSameOrigin({ headers }: PlatformRequest, origins: readonly string[]): void {
  if (headers[HEADER] !== '1') {
    throw new ApiProblem(
      'cross-site',
      'A request that changes something needs the header "X-Tablequeue-Dashboard: 1".',
    );
  }
  if (!isSameOrigin(headers) && !origins.includes(headers.origin ?? '')) {
    throw new ApiProblem(
      'cross-site',
      `The request comes from ${headers.origin ?? 'another site'}, not from the pages of this dashboard. If they are ` +
        'served there, add it to the option `origins`.',
    );
  }
  if (!/^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ApiProblem('unsupported-media-type', 'Send the body as application/json, or {} if there are no values.');
  }
}

function isSameOrigin({ origin, host, 'sec-fetch-site': site }: PlatformRequest['headers']): boolean {
  if (site !== undefined) {
    return site === 'same-origin' || site === 'none';
  }
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
