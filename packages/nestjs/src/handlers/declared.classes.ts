/** What the decorated methods of each class do, by its prototype. */
const methods = new WeakMap<object, string[]>();
/** The same prototypes, to list them. Weak, because tests declare classes in functions. */
let prototypes: WeakRef<object>[] = [];

/** A class with decorated methods that no module of an application lists. */
export interface UnlistedClass {
  readonly name: string;
  /** What its methods do: `send handles "mail.send"`. */
  readonly methods: readonly string[];
}

/** Remembers that a class has a decorated method. */
export function declareMethod(prototype: object, does: string): void {
  const others = methods.get(prototype);
  if (others) {
    others.push(does);
  } else {
    methods.set(prototype, [does]);
    prototypes.push(new WeakRef(prototype));
  }
}

/**
 * The classes with decorated methods, except those of these prototypes and what they inherit from. Each class is
 * returned once in a process: another application of it may have the class.
 */
export function takeUnlistedClasses(listed: readonly object[]): UnlistedClass[] {
  const found = prototypes.flatMap((each) => each.deref() ?? []);
  prototypes = [];
  return found
    .filter((prototype) => !listed.some((each) => each === prototype || prototype.isPrototypeOf(each)))
    .map((prototype) => ({ name: prototype.constructor.name, methods: methods.get(prototype) ?? [] }));
}
