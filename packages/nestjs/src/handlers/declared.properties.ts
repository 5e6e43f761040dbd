export type Method = (...args: unknown[]) => unknown;

/** A property that a class declares itself. */
export interface DeclaredProperty {
  /** The prototype of the class. */
  readonly owner: object;
  readonly name: string;
  /** Undefined for an accessor, and for every other property that is no method. */
  readonly method: Method | undefined;
}

/** A property that instances of a class have, and the inherited ones that it overrides, the nearest first. */
export interface ReachedProperty extends DeclaredProperty {
  readonly overridden: readonly DeclaredProperty[];
}

/** The properties of a class and of those it inherits from. Nothing is called, accessors neither. */
export function reachedProperties(prototype: object): readonly ReachedProperty[] {
  const reached = new Map<string, DeclaredProperty & { overridden: DeclaredProperty[] }>();
  for (const owner of lineOf(prototype)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      const property = { owner, name, method: typeof value === 'function' ? (value as Method) : undefined };
      const override = reached.get(name);
      if (override) {
        override.overridden.push(property);
      } else {
        reached.set(name, { ...property, overridden: [] });
      }
    }
  }
  return [...reached.values()];
}

/** A prototype and those behind it, except that of all objects. */
function* lineOf(prototype: object): Generator<object> {
  for (
    let current: object | null = prototype;
    current !== null && current !== Object.prototype;
    current = Object.getPrototypeOf(current) as object | null
  ) {
    yield current;
  }
}
