/**
 * Declares the queues of your application for the compiler. Augment it once, in any file of the program:
 *
 * ```ts
 * declare module '@tablequeue/typeorm' {
 *   interface Register {
 *     queues: 'mail' | 'payments';
 *   }
 * }
 * ```
 *
 * Any other name in a definition, in queue settings or in a call is then a compile error. `'default'` is always
 * declared. Without a declaration every name is accepted.
 */
export interface Register {}

/** The name of a queue: a declared one (see `Register`), or any text if none is declared. */
export type QueueName = Register extends { readonly queues: infer Name extends string } ? Name | 'default' : string;

/** A value for each queue, or for some of them. */
export type ByQueue<Value> = string extends QueueName
  ? Readonly<Record<string, Value>>
  : { readonly [Name in QueueName]?: Value };
