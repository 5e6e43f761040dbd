import { randomUUID } from 'node:crypto';

/*
 * Nest has no public names for these keys. They are part of the contract between its decorators and its core, the same
 * in Nest 10 to 12, and @nestjs/graphql and others go by them too.
 */
const ENTRY_PROVIDER = '__entryProvider__';
const CONTROLLER_ID = 'CONTROLLER_ID';
const ROUTE_ARGUMENTS = '__routeArguments__';
const ENHANCERS = {
  guards: '__guards__',
  interceptors: '__interceptors__',
  pipes: '__pipes__',
  filters: '__exceptionFilters__',
} as const;

/** What Nest runs around handlers. */
export type EnhancerKind = keyof typeof ENHANCERS;

/** A class that Nest instantiates, or an instance. */
export type Enhancer = object | (abstract new (...args: never[]) => unknown);

/** A parameter decorator of a method, as Nest keeps it. */
export interface ArgumentMetadata {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes: readonly Enhancer[];
}

/** What enhancers are bound to a method and to its class by `@UseGuards` and the like. */
export function boundEnhancers(kind: EnhancerKind, targetClass: object, method: object): readonly Enhancer[] {
  return [targetClass, method].flatMap(
    (target) => (Reflect.getMetadata(ENHANCERS[kind], target) as Enhancer[] | undefined) ?? [],
  );
}

/** The parameter decorators of a method that a class itself declares. */
export function parameterDecorators(
  targetClass: object,
  method: string,
): Readonly<Record<string, ArgumentMetadata>> | undefined {
  return Reflect.getOwnMetadata(ROUTE_ARGUMENTS, targetClass, method) as Record<string, ArgumentMetadata> | undefined;
}

/** Makes Nest run request-scoped and transient global enhancers around the methods of a class. */
export function markAsEntryProvider(prototype: object): void {
  Reflect.defineMetadata(ENTRY_PROVIDER, true, prototype.constructor);
}

/** Distinguishes a class from others of the same name, as Nest itself does for controllers. */
export function identifyClass(targetClass: object): void {
  // Nest 10 and 11 keep the pipes and parameters of a method by this id, or else by the name of its class.
  // An own property, because statics are inherited; configurable, because Nest defines it again for a controller.
  if (!Object.hasOwn(targetClass, CONTROLLER_ID)) {
    Reflect.defineProperty(targetClass, CONTROLLER_ID, { value: randomUUID(), configurable: true });
  }
}
