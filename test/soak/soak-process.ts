import { ChildProcess } from '../support/child-process.js';
import {
  type Message,
  PLAN_VARIABLE,
  type ProcessPlan,
  type ProcessVitals,
  type Request,
} from './processes/messages.js';
import type { ProcessName } from './sample.js';

const ENTRIES: Readonly<Record<ProcessName, string>> = {
  producer: 'producer',
  'worker 1': 'worker',
  'worker 2': 'worker',
  dashboard: 'reader',
};

/** How long an answer may take, in ms. */
const PATIENCE = 60_000;

/** One process of a soak. It never outlives this one. It is asked one thing at a time. */
export class SoakProcess {
  /** Resolves when it works. */
  readonly ready: Promise<void>;
  private readonly child: ChildProcess;
  private onMessage: (message: Message) => void = () => undefined;

  constructor(
    private readonly name: ProcessName,
    plan: ProcessPlan,
    private readonly log: (message: string) => void,
  ) {
    this.child = ChildProcess.start(new URL(`processes/${ENTRIES[name]}.js`, import.meta.url), {
      [PLAN_VARIABLE]: JSON.stringify(plan),
    });
    this.child.onMessage((message) => this.onMessage(message as Message));
    this.ready = this.next((message) => message === 'ready' || undefined).then(() => undefined);
  }

  measure(): Promise<ProcessVitals> {
    return this.ask('measure', (message) => (typeof message === 'object' ? message.vitals : undefined));
  }

  /** It enqueues nothing more. Resolves when everything it does has ended. */
  async quiet(): Promise<void> {
    await this.ask('quiet', (message) => message === 'quiet' || undefined);
  }

  async stop(): Promise<void> {
    await this.child.end('SIGTERM');
    if (this.child.output !== '') {
      this.log(`${this.name} has printed:\n${this.child.output}`);
    }
  }

  private ask<T>(request: Request, answerOf: (message: Message) => T | undefined): Promise<T> {
    const answer = this.next(answerOf);
    this.child.send(request);
    return answer;
  }

  private next<T>(answerOf: (message: Message) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`The ${this.name} has not answered for ${PATIENCE} ms:\n${this.child.output}`));
      }, PATIENCE);
      this.onMessage = (message) => {
        const answer = answerOf(message);
        if (answer !== undefined) {
          clearTimeout(timer);
          resolve(answer);
        }
      };
    });
  }
}
