import { ARGUMENTS_METADATA } from '../table-queue.constants.js';
import { type ArgumentMetadata, parameterDecorators } from './nest.metadata.js';

/** By type and index. */
type ArgumentsMetadata = Readonly<Record<string, ArgumentMetadata>>;

/**
 * The parameter types of Nest. They are those of `@Payload()` and `@Ctx()` of @nestjs/microservices, so these
 * decorators work here, and `ValidationPipe` validates the payload.
 */
const PAYLOAD = 3;
const JOB = 6;

const PAYLOAD_ALONE: ArgumentsMetadata = { [`${PAYLOAD}:0`]: { index: 0, pipes: [] } };

/**
 * Stores which arguments Nest creates and passes through pipes: the payload, and parameters with a decorator. Under a
 * key of our own, because a method that is also a route has other arguments there.
 */
export function keepArguments(prototype: object, method: string): void {
  const decorated = parameterDecorators(prototype.constructor, method);
  const all = decorated ? { ...(hasIndex(decorated, 0) ? undefined : PAYLOAD_ALONE), ...decorated } : PAYLOAD_ALONE;
  Reflect.defineMetadata(ARGUMENTS_METADATA, all, prototype.constructor, method);
}

/** The arguments that Nest makes for a method. */
export function argumentsOf(targetClass: object, method: string): ArgumentsMetadata {
  return Reflect.getMetadata(ARGUMENTS_METADATA, targetClass, method) as ArgumentsMetadata;
}

export function hasParameterDecorators(targetClass: object, method: string): boolean {
  return argumentsOf(targetClass, method) !== PAYLOAD_ALONE;
}

/** Whether Nest creates the second argument, because it has a decorator. */
export function makesSecondArgument(targetClass: object, method: string): boolean {
  return hasIndex(argumentsOf(targetClass, method), 1);
}

/** Extracts the arguments of a call for Nest. */
export const argumentsFactory = {
  exchangeKeyForValue: (type: number, property: unknown, [payload, job]: readonly unknown[]): unknown => {
    if (type === JOB) {
      return job;
    }
    return type === PAYLOAD ? part(payload, property) : undefined;
  },
};

/** The payload, or the property of it that `@Payload('to')` names. */
function part(payload: unknown, property: unknown): unknown {
  return typeof property === 'string' && property !== ''
    ? (payload as Readonly<Record<string, unknown>> | null | undefined)?.[property]
    : payload;
}

function hasIndex(all: ArgumentsMetadata, sought: number): boolean {
  return Object.values(all).some(({ index }) => index === sought);
}
