type ErrorClass = abstract new (...args: never[]) => Error;

/** The names of branded classes. */
const names = new WeakMap<ErrorClass, string>();

const isInstance = Function.prototype[Symbol.hasInstance];

/**
 * Makes `instanceof` recognize the errors of another copy of this package in the same process. Package managers install
 * two copies if an application and one of its packages depend on different versions.
 *
 * @param name the name of the class. Explicit, because bundlers rename classes.
 */
export function brandError(errorClass: ErrorClass, name: string): void {
  const brand = Symbol.for(`@tablequeue/typeorm:${name}`);
  names.set(errorClass, name);
  Object.defineProperty(errorClass.prototype, brand, { value: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    // Applications may extend the class. Their classes inherit this function, and have no brand.
    value(this: ErrorClass, value: unknown): boolean {
      return isInstance.call(this, value) || (this === errorClass && isObject(value) && brand in value);
    },
  });
}

/** The name of an error class, whatever a bundler has made of it. */
export function errorNameOf(errorClass: ErrorClass): string {
  return names.get(errorClass) ?? errorClass.name;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
