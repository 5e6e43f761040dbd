import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';

/** Renames a folder. Another process may have downloaded the same meanwhile: then its folder stays. */
export async function moveUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!existsSync(to)) {
      throw error;
    }
  }
}
