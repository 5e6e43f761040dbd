import type { Capabilities } from './capabilities.js';
import { type Packet, lengthEncoded } from './packets.js';

/** The commands that the proxy distinguishes, by their first byte. */
export const COMMANDS = {
  0x01: 'COM_QUIT',
  0x02: 'COM_INIT_DB',
  0x03: 'COM_QUERY',
  0x04: 'COM_FIELD_LIST',
  0x09: 'COM_STATISTICS',
  0x0e: 'COM_PING',
  0x11: 'COM_CHANGE_USER',
  0x16: 'COM_STMT_PREPARE',
  0x17: 'COM_STMT_EXECUTE',
  0x18: 'COM_STMT_SEND_LONG_DATA',
  0x19: 'COM_STMT_CLOSE',
  0x1a: 'COM_STMT_RESET',
  0x1c: 'COM_STMT_FETCH',
  0x1f: 'COM_RESET_CONNECTION',
} as const;

export type CommandName = (typeof COMMANDS)[keyof typeof COMMANDS] | 'another command';

export interface Command {
  readonly name: CommandName;
  /** The first 16 MB of the statement of COM_QUERY and COM_STMT_PREPARE. */
  readonly text: string | undefined;
}

/** @param packet the first packet of a command. */
export function commandIn({ payload }: Packet, capabilities: Capabilities): Command {
  const name = COMMANDS[payload[0] as keyof typeof COMMANDS] ?? 'another command';
  switch (name) {
    case 'COM_QUERY':
      return { name, text: payload.toString('utf8', capabilities.hasQueryAttributes ? afterAttributes(payload) : 1) };
    case 'COM_STMT_PREPARE':
      return { name, text: payload.toString('utf8', 1) };
    default:
      return { name, text: undefined };
  }
}

/** Returns where the text of a query starts. If the query has attributes, the text starts with their bytes. */
function afterAttributes(payload: Buffer): number {
  const [, afterCount] = lengthEncoded(payload, 1);
  const [, afterSets] = lengthEncoded(payload, afterCount);
  return afterSets;
}
