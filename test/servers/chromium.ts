import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { firstExisting } from './binaries.js';
import { obtainPackage } from './debian.js';

/** Names the path of the program. */
const VARIABLE = 'TABLEQUEUE_TEST_CHROMIUM';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** The oldest Debian suite that the tests support: newer ones have a newer C library, which also works. */
const SUITE = 'bookworm';

/** A browser, and the environment that it needs. */
export interface Browser {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Gets Chromium: named by the environment, installed, or from Debian's packages, unpacked into a folder.
 * @throws Error when there is none: the pages cannot be tested without it.
 */
export async function obtainChromium(): Promise<Browser> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const installed =
    process.env[VARIABLE] ?? firstExisting(...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))));
  if (installed) {
    return { program: installed, environment: {} };
  }
  const unpacked = await obtainPackage(SUITE, 'chromium', (message) => console.log(message));
  if (!unpacked) {
    throw new Error(`There is no Chromium. Install it, or set ${VARIABLE} to the path of one.`);
  }
  const { root } = unpacked;
  // Without the loader of its package, unlike servers: Chromium starts itself again by the name of the running program.
  const machine = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  // Another library refers to the folder of PulseAudio's library by its absolute path.
  const libraries = [`usr/lib/${machine}`, `lib/${machine}`, `usr/lib/${machine}/pulseaudio`]
    .map((folder) => join(root, folder))
    .join(':');
  const browser = {
    program: join(root, 'usr/lib/chromium/chromium'),
    environment: { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(root, 'etc/fonts') },
  };
  await promisify(execFile)(browser.program, ['--version'], { env: { ...process.env, ...browser.environment } });
  return browser;
}
