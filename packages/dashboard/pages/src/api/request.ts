import { database } from './database.js';
import { type Problem, RequestError } from './request-error.js';

/** Undefined and empty values are left out. */
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

/** @throws RequestError with the problem of the server, or one for a missing response. */
export function read<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return send<T>(apiUrl(path, query), { ...(signal && { signal }) });
}

/** @throws RequestError as `read` does. */
export function write<T>(method: 'POST' | 'PUT', path: string, body: object = {}, signal?: AbortSignal): Promise<T> {
  return send<T>(apiUrl(path), {
    method,
    // The server refuses writes without these headers. A form on another site cannot send them.
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
      detail: 'It may be restarting, or the network may be down. The page is not being updated.',
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
    // The page of a proxy, or no body.
    return { title, status: response.status };
  }
}
