import { types } from 'node:util';

/** Deeper values take the slower check: they may be circular. */
const DEEPEST_PLAIN = 100;

/**
 * Returns the JSON text of a value that the caller gives: a payload, or the data of a signal.
 *
 * @param itself what errors call the value.
 * @param dateAdvice what to do about a `Date`. Undefined if a schema checks the text that JSON makes of it.
 * @throws TypeError if JSON would drop or change a part of it, and what its own functions throw.
 */
export function inputToJson(value: unknown, itself: string, dateAdvice: string | undefined): string {
  const lossOfInput = (each: unknown, inArray: boolean) => {
    if (each === undefined) {
      return inArray ? 'undefined, in an array' : undefined;
    }
    return dateAdvice !== undefined && types.isDate(each)
      ? `a Date, which the handler would get as text: ${dateAdvice}`
      : lossOf(each);
  };
  return toJson(value, itself, (given, converted, inArray) => {
    return lossOfInput(given, inArray) ?? lossOfInput(converted, inArray);
  });
}

/**
 * Returns the JSON text of a value that a handler makes: a result or a cursor. Null for undefined.
 *
 * For an object with `toJSON`, such as a `Date`, the value that it returns counts. Undefined in an array becomes null:
 * results of `Promise.all` often have it, because their functions return nothing.
 *
 * @throws TypeError if JSON would drop or change another part of it, and what its own functions throw.
 */
export function resultToJson(value: unknown): string | null {
  if (value === undefined) {
    return null;
  }
  return toJson(value, 'it', (given, converted) => {
    return types.isDate(given) && Number.isNaN(given.getTime()) ? 'an invalid Date' : lossOf(converted);
  });
}

/** @param lossAt returns what JSON would lose of a property. `converted` is the result of its `toJSON`. */
function toJson(
  value: unknown,
  itself: string,
  lossAt: (given: unknown, converted: unknown, inArray: boolean) => string | undefined,
): string {
  if (isPlainData(value, 0)) {
    return JSON.stringify(value);
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(value, function (this: Record<string, unknown>, key: string, converted: unknown) {
      const loss = lossAt(this[key], converted, Array.isArray(this));
      if (loss) {
        throw new TypeError(`${key === '' ? itself : `"${key}"`} is ${loss}`);
      }
      return converted;
    });
  } catch (error) {
    throw isStackOverflow(error) ? new TypeError('it is nested too deeply', { cause: error }) : error;
  }
  if (text === undefined) {
    throw new TypeError('its toJSON returns nothing');
  }
  return text;
}

function isStackOverflow(error: unknown): boolean {
  return types.isNativeError(error) && error instanceof RangeError && error.message.includes('call stack');
}

/**
 * Returns whether a value certainly survives a round trip through JSON. Most values do, and JSON.stringify is three
 * times as fast without a function that checks each value.
 */
function isPlainData(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (depth < DEEPEST_PLAIN && isPlainObject(value, depth));
    default:
      return false;
  }
}

function isPlainObject(value: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) {
      return false;
    }
    // `every` would skip holes.
    for (const element of value as unknown[]) {
      if (!isPlainData(element, depth + 1)) {
        return false;
      }
    }
    return true;
  }
  if (prototype !== Object.prototype && prototype !== null) {
    return false;
  }
  // Object.values would allocate an array for each value.
  for (const key in value) {
    const property = (value as Readonly<Record<string, unknown>>)[key];
    if (property !== undefined && !isPlainData(property, depth + 1)) {
      return false;
    }
  }
  return true;
}

/** Returns what JSON.stringify would drop or change silently. For a BigInt and for a cycle it throws. */
function lossOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      if (types.isNumberObject(value) && !Number.isFinite(Number(value))) {
        return String(value);
      }
      return isLossyObject(value) ? `a ${value?.constructor.name}` : undefined;
    default:
      return undefined;
  }
}

function isLossyObject(value: unknown): boolean {
  return (
    types.isMap(value) ||
    types.isSet(value) ||
    types.isWeakMap(value) ||
    types.isWeakSet(value) ||
    types.isSymbolObject(value) ||
    types.isRegExp(value) ||
    types.isPromise(value) ||
    types.isNativeError(value) ||
    types.isAnyArrayBuffer(value) ||
    ArrayBuffer.isView(value)
  );
}
