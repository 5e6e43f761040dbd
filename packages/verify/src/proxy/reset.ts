import type { Socket } from 'node:net';

/**
 * Breaks a socket: with an RST, where that can be. Not one that is being shut down, for which libuv refuses it (EINVAL) and
 * Node.js then never tells of the socket's end; nor one with something still to be sent, which it would wait for.
 */
export function reset(socket: Socket): void {
  if (socket.connecting || socket.writableEnded || socket.writableLength > 0) {
    socket.destroy();
  } else {
    socket.resetAndDestroy();
  }
}
