import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Context } from '../context.js';
import { ConnectionFailedError, MissingDriverError, UsageError } from '../errors.js';

/** The commands of `ioredis` that the import calls. */
export interface Redis {
  connect(): Promise<void>;
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  scan(cursor: string, match: 'MATCH', pattern: string, count: 'COUNT', size: number): Promise<[string, string[]]>;
  type(key: string): Promise<string>;
  get(key: string): Promise<string | null>;
  exists(key: string): Promise<number>;
  hgetall(key: string): Promise<Record<string, string>>;
  llen(key: string): Promise<number>;
  lrange(key: string, start: number, stop: number): Promise<string[]>;
  zcard(key: string): Promise<number>;
  zrange(key: string, start: number, stop: number, scores: 'WITHSCORES'): Promise<string[]>;
  smembers(key: string): Promise<string[]>;
  sismember(key: string, member: string): Promise<number>;
  hlen(key: string): Promise<number>;
  eval(script: string, keys: number, ...values: string[]): Promise<unknown>;
}

type RedisConstructor = new (url: string, options: object) => Redis;

/**
 * Connects to Redis with the `ioredis` of the application's project, calls `work`, and disconnects.
 *
 * @throws UsageError, MissingDriverError, ConnectionFailedError
 */
export async function useRedis<T>(url: string, context: Context, work: (redis: Redis) => Promise<T>): Promise<T> {
  const name = nameOf(url, context);
  const Client = loadClient(context.folder);
  // A lost connection ends the command: the next run continues.
  const redis = new Client(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    // Sends the reads of a chunk together.
    enableAutoPipelining: true,
  });
  let reason: Error | undefined;
  redis.on('error', (error) => (reason = error));
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw new ConnectionFailedError(name, messageOf(reason ?? error), error);
  }
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** The URL without its password. */
export function nameOf(text: string, { secrets }: Context): string {
  if (!/^rediss?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new UsageError(
      '--redis is not a URL of Redis. Write redis://user:password@host:6379/0, or rediss://… for TLS.',
    );
  }
  const url = new URL(text);
  secrets.add(url.password);
  return `${url.protocol}//${url.hostname}:${url.port || 6379}${url.pathname}`;
}

function loadClient(folder: string): RedisConstructor {
  for (const from of [join(folder, 'package.json'), import.meta.url]) {
    const require = createRequire(from);
    try {
      return (require('ioredis') as { readonly Redis: RedisConstructor }).Redis;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') {
        throw error;
      }
    }
  }
  throw new MissingDriverError('ioredis', folder);
}

function messageOf(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: readonly Error[] };
  return message || errors?.map((each) => each.message).join('; ') || String(error);
}
