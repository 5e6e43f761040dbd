/**
 * The queues of your application, for the compiler alone. Declare them, once, in any file that is part of the program:
 *
 *     declare module '@tablequeue/typeorm' {
 *       interface TableQueueRegister {
 *         queues: 'mail' | 'payments';
 *       }
 *     }
 *
 * Then another name is a compile error in definitions, in the settings of queues, and in calls about them. `'default'`
 * needs no declaring. While nothing is declared any text is taken.
 */
export interface Register {}

/** The name of a queue: one of those declared in `TableQueueRegister`, or any text where none is declared. */
export type QueueName = Register extends { readonly queues: infer Name extends string } ? Name | 'default' : string;

/** Something for each queue, or for some of them. */
export type ByQueue<Value> = string extends QueueName
  ? Readonly<Record<string, Value>>
  : { readonly [Name in QueueName]?: Value };
