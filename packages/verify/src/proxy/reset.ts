import type { Socket } from 'node:net';

/**
 * Breaks a socket, with an RST if possible. A socket that is shutting down is destroyed instead: libuv rejects the RST
 * (EINVAL), and Node.js then never emits the end of the socket. A socket with unsent data would delay the RST.
 */
export function reset(socket: Socket): void {
  if (socket.connecting || socket.writableEnded || socket.writableLength > 0) {
    socket.destroy();
  } else {
    socket.resetAndDestroy();
  }
}
