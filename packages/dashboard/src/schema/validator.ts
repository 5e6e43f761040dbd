import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

import { ApiProblem } from '../api/api-problem.js';
import { COMPONENTS } from './components.js';
import type { Schema } from './json-schema.js';

const DOCUMENT = 'dashboard';

/** Checks what comes from outside, by the schemas that the API is described with. */
export class Validator {
  private readonly ajv: Ajv;

  /** @param coercing whether texts may stand for numbers, as they have to in a URL. */
  constructor(coercing: boolean) {
    this.ajv = new Ajv({ coerceTypes: coercing, allowUnionTypes: true });
    this.ajv.addVocabulary(['components']);
    this.ajv.addSchema({ $id: DOCUMENT, components: { schemas: COMPONENTS } });
  }

  /**
   * Makes a function that checks a value, and throws.
   *
   * @param place what the value is, in a sentence: "query".
   */
  check(schema: Schema, place: string): (value: unknown) => void {
    const validate = this.ajv.compile(withDocument(schema));
    return (value) => {
      if (!validate(value)) {
        throw invalid(validate, place);
      }
    };
  }
}

/** References lead into the document, not into the schema they stand in. */
function withDocument(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', `"${DOCUMENT}#/components`)) as Schema;
}

function invalid({ errors }: ValidateFunction, place: string): ApiProblem {
  const error = errors?.[0] as ErrorObject;
  const { missingProperty, additionalProperty } = error.params as Record<string, unknown>;
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const parameter = [path, missingProperty ?? additionalProperty].filter((part) => Boolean(part)).join('.');
  const what = parameter === '' ? `The ${place}` : `"${parameter}" in the ${place}`;
  return new ApiProblem('invalid-request', `${what} ${ruleOf(error)}.`, parameter === '' ? undefined : parameter);
}

function ruleOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is not known here: remove it';
    case 'enum':
      return `must be one of ${(params as { readonly allowedValues: readonly string[] }).allowedValues.join(', ')}`;
    // Of ids alone.
    case 'pattern':
      return 'is not a whole id, such as 01a2046a-b696-71d9-b342-a7905760f549';
    default:
      return message;
  }
}
