/** Returns the properties that are not undefined, for options that may be left out but not be undefined. */
export function defined<T extends object>(properties: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as never;
}
