import type { ServerEngine } from './server.js';

/** What the tests run on. */
export const ENGINES = ['sqlite', 'mariadb', 'mysql'] as const;

/** One of them. */
export type Engine = 'sqlite' | ServerEngine;

/** The servers of a run: a URL, why there is none, or that this engine was not asked for. */
export type ServersByEngine = Partial<
  Record<Engine, { readonly url: string } | { readonly reason: string } | { readonly left: true }>
>;

/** Hands the servers over to the tests, as JSON. */
export const SERVERS_VARIABLE = 'TABLEQUEUE_TEST_SERVERS';
