/**
 * How long the server may take to close the connection of a client that is gone, in ms. A server notices this only
 * after the current statement has waited for its locks.
 */
export const DISCONNECT_TIMEOUT = 15_000;
