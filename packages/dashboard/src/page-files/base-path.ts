import type { PlatformRequest } from '../api/exchange.js';

/** What a request asks for below the path of the dashboard, without slashes at its ends. Express hands out segments. */
export function pathBelow({ params }: PlatformRequest): string {
  const { path, '*': rest } = params as { readonly path?: string | readonly string[]; readonly '*'?: string };
  const below = path ?? rest ?? '';
  return (typeof below === 'string' ? below : below.join('/')).replaceAll(/^\/+|\/+$/g, '');
}

/**
 * Where the pages are, seen from the URL that was asked for: `./`, `../`. It leads there under every prefix, also one that
 * a proxy takes away and this application never sees. Only where the URL ends with the path of the dashboard, and has no
 * slash behind, the name of its last part is needed: a proxy that changes that too has to ask with the slash.
 *
 * @param below what `pathBelow` says.
 * @param mount the path of the dashboard.
 */
export function basePath({ originalUrl, url }: PlatformRequest, below: string, mount: string): string {
  const parts = (originalUrl ?? url).replace(/[?#].*$/s, '').split('/');
  const named = parts.filter((part) => part !== '');
  const slashesBehind = parts.length - 1 - (named.length - partsOf(below, named));
  return slashesBehind <= 0 ? `${mount.split('/').at(-1)}/` : '../'.repeat(slashesBehind - 1) || './';
}

/** Of how many parts of a URL a decoded path consists: `a/b` of one where that is `a%2Fb`. */
function partsOf(below: string, named: readonly string[]): number {
  const rest = (count: number) =>
    named
      .slice(named.length - count)
      .map(decodeURIComponent)
      .join('/');
  let count = 0;
  while (count < named.length && rest(count).length < below.length) {
    count++;
  }
  return count;
}
