declare const TYPE: unique symbol;

/** A JSON Schema as in OpenAPI 3.1, with the TypeScript type of the values that match it. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  /** Exists for the compiler only. */
  readonly [TYPE]?: T;
}

export type Properties = Readonly<Record<string, Schema>>;

/** What an object without properties is inferred from. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- it is the type without any keys
export type NoProperties = Record<never, Schema>;

/** The TypeScript type of the values that match a schema. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

/** The TypeScript type of an object with these required and optional properties. */
export type InferObject<P extends Properties, O extends Properties = NoProperties> = Flat<
  { readonly [Name in keyof P]: Infer<P[Name]> } & { readonly [Name in keyof O]?: Infer<O[Name]> }
>;

type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/** The named schemas, as `components.schemas` of the OpenAPI document. */
export const COMPONENTS: Record<string, Schema> = {};

/** Adds a named schema to `COMPONENTS`, and returns a reference to it. */
export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  COMPONENTS[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

/** A named `object`. */
export function component<P extends Properties, O extends Properties = NoProperties>(
  name: string,
  properties: P,
  optional?: O,
): Schema<InferObject<P, O>> {
  return named(name, object(properties, optional));
}

/** An object with all of the first properties, any of the optional ones, and no others. */
export function object<P extends Properties, O extends Properties = NoProperties>(
  properties: P,
  optional?: O,
): Schema<InferObject<P, O>> {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

export function listOf<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: 'array', items };
}

/** An object with any property names. */
export function mapOf<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { type: 'object', additionalProperties: values };
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return typeof schema.type === 'string' && !('enum' in schema)
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

export function oneOf<const T extends string>(...values: readonly T[]): Schema<T> {
  return { type: 'string', enum: values };
}

/** @param maxLength in characters; without it, any text, also the empty one. */
export function text(maxLength?: number): Schema<string> {
  return maxLength === undefined ? { type: 'string' } : { type: 'string', minLength: 1, maxLength };
}

export function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Schema<number> {
  return { type: 'integer', minimum, maximum };
}

export function described<T>(schema: Schema<T>, description: string): Schema<T> {
  return { ...schema, description };
}

export const ANYTHING: Schema = {};
export const BOOLEAN: Schema<boolean> = { type: 'boolean' };
export const NUMBER: Schema<number> = { type: 'number' };
export const TIME: Schema<number> = { type: 'integer', description: 'in ms since 1970, by the clock of the database' };
export const FINGERPRINT: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{16}$' };
export const WORKER_ID: Schema<string> = { type: 'string', pattern: '^[1-9][0-9]{0,9}$' };
export const DURATION: Schema<number> = { type: 'number', description: 'in ms' };
export const UUID: Schema<string> = {
  type: 'string',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
};
