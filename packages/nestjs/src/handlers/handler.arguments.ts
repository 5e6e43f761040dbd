import { ARGUMENTS_METADATA } from '../table-queue.constants.js';
import { type ArgumentMetadata, parameterDecorators } from './nest.metadata.js';

/** By type and index. */
type ArgumentsMetadata = Readonly<Record<string, ArgumentMetadata>>;

/**
 * The types by which Nest knows parameters. They are those of `@Payload()` and `@Ctx()` of @nestjs/microservices, which
 * work here therefore, and the first is one that `ValidationPipe` validates.
 */
const PAYLOAD = 3;
const JOB = 6;

const PAYLOAD_ALONE: ArgumentsMetadata = { [`${PAYLOAD}:0`]: { index: 0, pipes: [] } };

/**
 * Keeps which arguments of a method Nest is to make and to pass through pipes: the payload, and what has a parameter
 * decorator. In metadata of our own, because a method that is a route as well gets other arguments there.
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

/** Whether a method has parameter decorators. */
export function hasParameterDecorators(targetClass: object, method: string): boolean {
  return argumentsOf(targetClass, method) !== PAYLOAD_ALONE;
}

/** Whether it is Nest that makes the second argument, because it has a decorator. */
export function makesSecondArgument(targetClass: object, method: string): boolean {
  return hasIndex(argumentsOf(targetClass, method), 1);
}

/** Takes the arguments of a call apart for Nest. */
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
