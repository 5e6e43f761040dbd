/** What JSON makes of a type: a `Date` becomes a text, functions and symbols are dropped. */
export type Stored<T> = [T] extends [void] ? undefined : JsonOf<T>;

type Dropped = undefined | symbol | ((...args: never[]) => unknown);

type JsonOf<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends undefined
      ? undefined
      : T extends Dropped | bigint
        ? never
        : T extends { toJSON(): infer Json }
          ? JsonOf<Json>
          : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
            ? object
            : T extends readonly unknown[]
              ? { [Index in keyof T]: JsonOf<T[Index]> }
              : {
                  [Key in keyof T as Key extends symbol ? never : [T[Key]] extends [Dropped] ? never : Key]: JsonOf<
                    T[Key]
                  >;
                };
