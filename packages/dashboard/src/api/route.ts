import type { Role } from '../contract/index.js';
import type { InferObject, NoProperties, Properties, Schema } from '../contract/json-schema.js';
import type { Database } from '../databases/database.registry.js';
import type { ResolvedOptions } from '../options/dashboard.options.js';

/** The user who sent a request. */
export interface Caller {
  readonly name: string | null;
  readonly role: Role;
}

/** A validated request. */
interface RouteCall<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly database: Database;
  readonly databases: readonly string[];
  readonly options: ResolvedOptions;
  /** The API as an OpenAPI document. */
  readonly openApi: object;
}

/** One route of the API: what it validates, how it is described, and what it does. */
interface RouteDefinition<
  Params extends Properties,
  Required extends Properties,
  Optional extends Properties,
  Body,
  Response,
> {
  /** The name of the controller's method, and the operation id. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Set for a route that changes nothing although its method is not GET. */
  readonly isReadOnly?: true;
  /** Below `api/`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  readonly params?: Params;
  /** Without `database`, which all routes have. */
  readonly query?: { readonly required?: Required; readonly optional?: Optional };
  readonly body?: Schema<Body>;
  readonly response: Schema<Response>;
  /** Statuses that not every request can have, with the cause. */
  readonly problems?: Readonly<Partial<Record<404 | 409, string>>>;
  run(call: RouteCall<InferObject<Params>, InferObject<Required, Optional>, Body>): Promise<NoInfer<Response>>;
}

export type Route = RouteDefinition<Properties, Properties, Properties, unknown, unknown>;

/** Infers the types of a request from the schemas of its route, and hides them from the list of all routes. */
export function route<
  Response,
  Params extends Properties = NoProperties,
  Required extends Properties = NoProperties,
  Optional extends Properties = NoProperties,
  Body = undefined,
>(definition: RouteDefinition<Params, Required, Optional, Body, Response>): Route {
  return definition;
}

/** Returns whether the route needs the checks of a request that changes something. */
export function isWrite({ method }: Route): boolean {
  return method !== 'GET';
}
