import { ChildProcess } from './child-process.js';
import { waitFor } from './wait-for.js';

const PROGRAM = new URL('../dist/processes/mock-pages.js', import.meta.url);

/** The built pages, with answers that are made up. */
export class MockPages {
  private constructor(
    /** With a slash at its end. */
    readonly url: string,
    private readonly server: ChildProcess,
  ) {}

  /** @param program the built program, for code that is built itself. */
  static async start(program = PROGRAM): Promise<MockPages> {
    const server = ChildProcess.start(program);
    const url = await waitFor('the pages are served', () => {
      if (server.hasEnded) {
        throw new Error(server.output);
      }
      return /^(http:\S+)$/m.exec(server.output)?.[1];
    });
    return new MockPages(url, server);
  }

  /** Ends the server, as when an application goes away. */
  async stop(): Promise<void> {
    await this.server.end('SIGTERM');
  }
}
