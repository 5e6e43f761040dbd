import type { ServerEngine } from './server.js';

/** What the tests run on. */
export const ENGINES = ['sqlite', 'mariadb', 'mysql', 'mysql56'] as const;

/** What all of them run on. */
export const CURRENT_ENGINES = ['sqlite', 'mariadb', 'mysql'] as const;

/** What tests run on that are about locks between connections: also a server without SKIP LOCKED. */
export const SERVER_ENGINES = ['mariadb', 'mysql', 'mysql56'] as const;

/** Clusters of three servers, which the tests in `test/clusters` start by themselves. */
export const CLUSTERS = ['galera', 'group-replication'] as const;

/** One of them. */
export type Engine = 'sqlite' | ServerEngine;
export type ClusterKind = (typeof CLUSTERS)[number];

/**
 * The servers of a run: a URL, that its programs are there to be started, why there is none, or that this engine was not
 * asked for.
 */
export type ServersByEngine = Partial<
  Record<
    Engine | ClusterKind,
    { readonly url: string } | { readonly ready: true } | { readonly reason: string } | { readonly left: true }
  >
>;

/** Hands the servers over to the tests, as JSON. */
export const SERVERS_VARIABLE = 'TABLEQUEUE_TEST_SERVERS';
