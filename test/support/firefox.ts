import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Browser, type Page, connect } from 'puppeteer-core';

import { obtainBrowser } from '../servers/browsers.js';
import { type RunningServer, supervise } from '../servers/supervise.js';

/** The port that no server uses. */
const NOWHERE = 1;

/**
 * Firefox asks no proxy for addresses of this machine, and reaches nothing else through one that does not exist. A
 * browser that is driven also switches most of its own requests off: this adds the others.
 */
const PREFERENCES = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': NOWHERE,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': NOWHERE,
  // Looking up names by DNS, or by a server of Mozilla.
  'network.trr.mode': 5,
  'network.dns.disablePrefetch': true,
  'network.prefetch-next': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.region.update.enabled': false,
  'browser.search.update': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.push.connection.enabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'startup.homepage_welcome_url': 'about:blank',
  'toolkit.telemetry.enabled': false,
  // On a busy machine, a script takes long.
  'dom.max_script_run_time': 0,
  // As `Look` of Chromium.
  'intl.accept_languages': 'en-GB',
  'ui.prefersReducedMotion': 1,
};

/** Firefox reports each event stream that ends because its page is left, also if `pagehide` closes it. */
const ENDED_STREAM = /The connection to \S+\/api\/live was interrupted while the page was loading/;

/** A page of Firefox that notes what goes wrong. */
export interface FirefoxVisit {
  readonly page: Page;
  /** Errors of the console, violations of the policy, and uncaught errors. */
  readonly errors: readonly string[];
}

/** The Firefox of a test file. It never outlives the process that starts it. */
export class TestFirefox {
  private constructor(
    private readonly program: RunningServer,
    private readonly browser: Browser,
  ) {}

  static async start(): Promise<TestFirefox> {
    const { program, environment } = await obtainBrowser('firefox');
    const folder = await mkdtemp(join(tmpdir(), 'tablequeue-firefox-'));
    const profile = join(folder, 'profile');
    await mkdir(profile);
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
    await writeFile(join(profile, 'user.js'), lines.join('\n'));
    let port = 0;
    const running = await supervise({
      command: [program, '--headless', '--profile', profile, '--remote-debugging-port', '0'],
      folder,
      environment: { ...environment, HOME: folder, TMPDIR: folder, MOZ_CRASHREPORTER_DISABLE: '1' },
      signal: 'KILL',
      probe: async () => {
        const written = await readFile(join(profile, 'WebDriverBiDiServer.json'), 'utf8');
        port = (JSON.parse(written) as { ws_port: number }).ws_port;
      },
    });
    const endpoint = { browserWSEndpoint: `ws://127.0.0.1:${port}/session`, protocol: 'webDriverBiDi' } as const;
    try {
      return new TestFirefox(running, await connect({ ...endpoint, defaultViewport: null }));
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  /**
   * Opens an address, in a window of its own.
   * @param mode the set of mock answers, as of `Look`.
   */
  async visit(url: string, { width = 1280, mode }: { width?: number; mode?: 'silent' } = {}): Promise<FirefoxVisit> {
    const context = await this.browser.createBrowserContext();
    if (mode) {
      await context.setCookie({ name: 'mock', value: mode, domain: new URL(url).hostname });
    }
    const page = await context.newPage();
    await resize(page, width);
    await page.evaluateOnNewDocument(
      `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error('Content Security Policy', violatedDirective, blockedURI))`,
    );
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') {
        errors.push(message.text());
      }
    });
    page.on('pageerror', (error) => {
      if (!ENDED_STREAM.test(String(error))) {
        errors.push(String(error));
      }
    });
    await page.goto(url);
    return { page, errors };
  }

  /** Closes all windows. */
  async closeVisits(): Promise<void> {
    const contexts = this.browser
      .browserContexts()
      .filter((context) => context !== this.browser.defaultBrowserContext());
    await Promise.all(contexts.map((context) => context.close()));
  }

  async close(): Promise<void> {
    await this.browser.disconnect();
    await this.program.stop();
  }
}

/** Puppeteer sets the size, and then the orientation, which Firefox 140 does not support. */
async function resize(page: Page, width: number): Promise<void> {
  await page.setViewport({ width, height: 800 }).catch((error: unknown) => {
    if (!String(error).includes('setScreenOrientationOverride')) {
      throw error;
    }
  });
}
