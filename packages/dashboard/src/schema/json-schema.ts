/** A JSON Schema, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Properties by their names. */
export type Properties = Readonly<Record<string, Schema>>;

/** An object that has all of these, and nothing else. */
export function object(properties: Properties, optional: Properties = {}): Schema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** One that is described among the components. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** An object of any names. */
export function mapOf(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

/** That, or null. */
export function nullable(schema: Schema): Schema {
  return typeof schema.type === 'string' && !('enum' in schema)
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

export function text(most?: number): Schema {
  return most === undefined ? { type: 'string' } : { type: 'string', minLength: 1, maxLength: most };
}

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Schema {
  return { type: 'integer', minimum: least, maximum: most };
}

/** The same, with words of what it is. */
export function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

export const ANYTHING: Schema = {};
export const BOOLEAN: Schema = { type: 'boolean' };
export const NUMBER: Schema = { type: 'number' };
/** In ms since 1970, by the database's clock. */
export const TIME: Schema = { type: 'integer', description: 'ms since 1970, by the clock of the database' };
/** In ms. */
export const DURATION: Schema = { type: 'number', description: 'ms' };
export const UUID: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
};
