import type { PlatformRequest } from '../http/platform-http.js';

/**
 * Returns the requested path below the dashboard, without slashes at its ends. Express 5 passes an array of segments in
 * `path`, Express 4 the number of the wildcard, and Fastify its sign.
 */
export function subpathOf({ params }: PlatformRequest): string {
  const { path, '0': first, '*': rest } = params as Readonly<Record<string, string | readonly string[] | undefined>>;
  const below = path ?? first ?? rest ?? '';
  return withoutOuterSlashes(typeof below === 'string' ? below : below.join('/'));
}

const withoutOuterSlashes = (path: string): string => path.replaceAll(/^\/+|\/+$/g, '');

/**
 * Returns the path of the dashboard relative to the requested URL: `./`, `../`. It is right for every prefix, even one
 * that a proxy removes.
 *
 * If the URL is the path of the dashboard without a slash at its end, the name of the last segment is needed. A proxy
 * that changes this segment must add the slash.
 *
 * @param subpath the result of `subpathOf`.
 * @param mount the path of the dashboard.
 */
export function basePath({ originalUrl, url }: PlatformRequest, subpath: string, mount: string): string {
  const segments = (originalUrl ?? url).replace(/[?#].*$/s, '').split('/');
  const named = segments.filter((segment) => segment !== '');
  const depth = segments.length - 1 - (named.length - countSegments(subpath, named));
  return depth <= 0 ? `${mount.split('/').at(-1)}/` : '../'.repeat(depth - 1) || './';
}

/** Counts the segments of the URL that a decoded path consists of: `a/b` is one if the URL has `a%2Fb`. */
function countSegments(subpath: string, named: readonly string[]): number {
  // A name may end with slashes.
  const rest = (count: number) =>
    withoutOuterSlashes(
      named
        .slice(named.length - count)
        .map(decodeURIComponent)
        .join('/'),
    );
  let count = 0;
  while (count < named.length && rest(count).length < subpath.length) {
    count++;
  }
  return count;
}
