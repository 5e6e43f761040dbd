import { database } from './database.js';
import { type Problem, RequestError } from './request-error.js';

/** Values that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`api/${path}`, document.baseURI);
  const all: Query = { ...query, database: database.value };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && value !== '') {
      url.searchParams.set(name, String(value));
    }
  }
  return url.href;
}

/** @throws RequestError with the problem the server has described, or with one that says why there is none. */
export function read<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return send<T>(apiUrl(path, query), { ...(signal && { signal }) });
}

/** @throws RequestError as `read` does. */
export function write<T>(method: 'POST' | 'PUT', path: string, body: object = {}, signal?: AbortSignal): Promise<T> {
  return send<T>(apiUrl(path), {
    method,
    // A form of another site can send neither of the two: the server refuses writes without them.
    headers: { 'content-type': 'application/json', 'x-tablequeue-dashboard': '1' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function send<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    if (init.signal?.aborted) {
      throw error;
    }
    throw new RequestError({
      title: 'The server does not answer',
      status: 0,
      detail: 'It may be restarting, or the network is away. Nothing you see here is being updated.',
    });
  });
  if (!response.ok) {
    throw new RequestError(await problemOf(response));
  }
  return (await response.json()) as T;
}

async function problemOf(response: Response): Promise<Problem> {
  const title = response.statusText || `Status ${response.status}`;
  try {
    return { title, ...((await response.json()) as Partial<Problem>), status: response.status };
  } catch {
    // A proxy's page, or nothing at all.
    return { title, status: response.status };
  }
}
