import * as fc from 'fast-check';

/** Values that hardly an option takes. Not null: some options take it for left out. */
export const odd = fc.oneof(
  fc.constantFrom(Number.NaN, Infinity, -1e300, -1, 0.5, 1e21, '', ' ', '1 fortnight', '-1s', true, [], {}, 1n),
  fc.constantFrom(new Date(Number.NaN), Symbol('x'), () => 1, Object(1) as object, Object.create(null) as object),
  fc.string({ minLength: 192, maxLength: 400 }),
);
