/**
 * How long the server may take to notice that a client is gone, in ms: not before a statement of it has waited for its locks.
 * A socket that the client has given up in the midst of one is closed then, and not before.
 */
export const DISCONNECT_TIMEOUT = 15_000;
