import type { ServerEngine } from './server.js';

/** All engines. */
export const ALL_ENGINES = ['sqlite', 'mariadb', 'mariadb118', 'mysql', 'mysql56'] as const;

/** The engines that every test of the queue runs on. `mariadb` is the release that `test/run/parts.ts` chooses. */
export const CURRENT_ENGINES = ['sqlite', 'mariadb', 'mysql'] as const;

/** The same, with a server that has no SKIP LOCKED. */
export const ENGINES = ['sqlite', 'mariadb', 'mysql', 'mysql56'] as const;

/** The engines for tests of locks between connections, with a server that has no SKIP LOCKED. */
export const SERVER_ENGINES = ['mariadb', 'mysql', 'mysql56'] as const;

/** Clusters of three servers. The tests in `test/clusters` start them. */
export const CLUSTERS = ['galera', 'group-replication'] as const;

/** The name of an engine. */
export type Engine = 'sqlite' | ServerEngine;
/** The name of a cluster. */
export type ClusterKind = (typeof CLUSTERS)[number];

/**
 * The servers of a run, by engine:
 *
 * - `url`: a running server.
 * - `ready`: a cluster whose programs are downloaded.
 * - `reason`: why there is no server.
 * - `left`: this run was not asked for the engine.
 */
export type ServersByEngine = Partial<
  Record<
    Engine | ClusterKind,
    { readonly url: string } | { readonly ready: true } | { readonly reason: string } | { readonly left: true }
  >
>;

/** The environment variable that passes the servers to the tests, as JSON. */
export const SERVERS_VARIABLE = 'TABLEQUEUE_TEST_SERVERS';

/** The title of the only test in a suite of engines that this run was not asked for. It is not counted. */
export const LEFT_OUT = 'is not for the chosen engines';
