import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { firstExisting } from './binaries.js';
import { obtainPackage } from './debian.js';

/** The oldest Debian suite that the tests support: newer ones have a newer C library, which also works. */
const SUITE = 'bookworm';

const SOURCES = {
  chromium: {
    title: 'Chromium',
    /** Names the path of the program. */
    variable: 'TABLEQUEUE_TEST_CHROMIUM',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    package: 'chromium',
    program: 'usr/lib/chromium/chromium',
  },
  firefox: {
    title: 'Firefox',
    variable: 'TABLEQUEUE_TEST_FIREFOX',
    names: ['firefox-esr', 'firefox'],
    package: 'firefox-esr',
    program: 'usr/lib/firefox-esr/firefox-esr',
  },
} as const;

/** A browser, and the environment that it needs. */
export interface Browser {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Gets a browser: named by the environment, installed, or from Debian's packages, unpacked into a folder.
 * @throws Error when there is none: the pages cannot be tested without it.
 */
export async function obtainBrowser(name: keyof typeof SOURCES): Promise<Browser> {
  const source = SOURCES[name];
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const installed =
    process.env[source.variable] ??
    firstExisting(...folders.flatMap((folder) => source.names.map((program) => join(folder, program))));
  if (installed) {
    return { program: installed, environment: {} };
  }
  const unpacked = await obtainPackage(SUITE, source.package, (message) => console.log(message));
  if (!unpacked) {
    throw new Error(`There is no ${source.title}. Install it, or set ${source.variable} to the path of one.`);
  }
  const { root } = unpacked;
  // Without the loader of its package, unlike servers: browsers start themselves again by the name of the running
  // program.
  const machine = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  // Another library refers to the folder of PulseAudio's library by its absolute path.
  const libraries = [`usr/lib/${machine}`, `lib/${machine}`, `usr/lib/${machine}/pulseaudio`]
    .map((folder) => join(root, folder))
    .join(':');
  const browser = {
    program: join(root, source.program),
    environment: { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(root, 'etc/fonts') },
  };
  await promisify(execFile)(browser.program, ['--version'], { env: { ...process.env, ...browser.environment } });
  return browser;
}
