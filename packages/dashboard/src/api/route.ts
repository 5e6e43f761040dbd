import type { Role } from '../contract/index.js';
import type { ResolvedOptions } from '../dashboard-options.js';
import type { Database } from '../databases.js';
import type { Properties, Schema } from '../schema/json-schema.js';

/** Who asks. */
export interface Caller {
  readonly name: string | null;
  readonly role: Role;
}

/** What the parts of a request are, where a route has them. */
export interface RouteParts {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
}

/** A request that was checked against its route. */
export interface RouteCall<Parts extends RouteParts> {
  readonly params: Parts['params'];
  readonly query: Parts['query'];
  readonly body: Parts['body'];
  readonly caller: Caller;
  readonly database: Database;
  /** The names of all databases. */
  readonly databases: readonly string[];
  readonly options: ResolvedOptions;
  /** The API in OpenAPI. */
  readonly description: object;
}

/** One route of the API: what is checked, what is described, and what it does. */
export interface Route<Parts extends RouteParts = RouteParts, Answer = unknown> {
  /** The method of the controller, and the id of the operation. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Whether it changes nothing, although it is no GET. */
  readonly isHarmless?: true;
  /** Below `api/`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  readonly params?: Properties;
  /** Without `database`, which all have. */
  readonly query?: { readonly required?: Properties; readonly optional?: Properties };
  readonly body?: Schema;
  readonly answer: Schema;
  /** What can be wrong besides what can be wrong with every request: statuses, and when. */
  readonly problems?: Readonly<Partial<Record<404 | 409, string>>>;
  run(call: RouteCall<Parts>): Promise<Answer>;
}

/** Keeps the types of a route to itself: a list has routes of all kinds. */
export function route<Answer, Parts extends RouteParts = RouteParts>(definition: Route<Parts, Answer>): Route {
  return definition;
}

/** Whether it changes something. */
export function isWrite({ method }: Route): boolean {
  return method !== 'GET';
}
