import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

import { COMPONENTS, FINGERPRINT, type Schema, UUID, WORKER_ID } from '../contract/json-schema.js';
import { ApiProblem } from './api-problem.error.js';

const DOCUMENT = 'dashboard';

/** Validates requests with the schemas that describe the API. */
export class SchemaValidator {
  private readonly ajv: Ajv;

  /** @param options `coerceTypes`: converts texts to numbers in place, which values from a URL need. */
  constructor({ coerceTypes }: { readonly coerceTypes: boolean }) {
    this.ajv = new Ajv({ coerceTypes, allowUnionTypes: true });
    this.ajv.addVocabulary(['components']);
    this.ajv.addSchema({ $id: DOCUMENT, components: { schemas: COMPONENTS } });
  }

  /**
   * Returns a function that throws an `ApiProblem` for an invalid value.
   *
   * @param source where the value comes from, for the message: "query".
   */
  compile(schema: Schema, source: string): (value: unknown) => void {
    const validate = this.ajv.compile(withAbsoluteReferences(schema));
    return (value) => {
      if (!validate(value)) {
        throw toInvalidRequest(validate, source);
      }
    };
  }
}

function withAbsoluteReferences(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', `"${DOCUMENT}#/components`)) as Schema;
}

function toInvalidRequest({ errors }: ValidateFunction, source: string): ApiProblem {
  const error = errors?.[0] as ErrorObject;
  const { missingProperty, additionalProperty } = error.params as Record<string, unknown>;
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const parameter = [path, missingProperty ?? additionalProperty].filter(Boolean).join('.');
  const subject = parameter === '' ? `The ${source}` : `"${parameter}" in the ${source}`;
  return new ApiProblem('invalid-request', `${subject} ${ruleOf(error)}.`, parameter === '' ? undefined : parameter);
}

/** What texts with a pattern are. */
const RULES = new Map([
  [UUID.pattern, 'is not a complete id, such as 01a2046a-b696-71d9-b342-a7905760f549'],
  [FINGERPRINT.pattern, 'is not a complete fingerprint, such as 5d0c0b5d1f8f3a77'],
  [WORKER_ID.pattern, 'is not the id of a worker, such as 2841573921'],
]);

function ruleOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is unknown: remove it';
    case 'enum':
      return `must be one of ${(params as { readonly allowedValues: readonly string[] }).allowedValues.join(', ')}`;
    case 'pattern':
      return RULES.get((params as { readonly pattern: string }).pattern) ?? message;
    default:
      return message;
  }
}
