/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads server-sent events, one after the other. */
export class EventStream {
  private text = '';

  private constructor(
    readonly headers: Headers,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly controller: AbortController,
  ) {}

  static async open(url: string): Promise<EventStream> {
    const controller = new AbortController();
    const response = await fetch(url, { signal: controller.signal, headers: { accept: 'text/event-stream' } });
    if (response.status !== 200 || !response.body) {
      throw new Error(`${response.status}: ${await response.text()}`);
    }
    return new EventStream(response.headers, response.body.getReader(), controller);
  }

  /** The next event; undefined at the end. */
  async next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.text.slice(0, end);
        this.text = this.text.slice(end + 2);
        const [, event] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        if (event !== undefined && data !== undefined) {
          return { event, data: JSON.parse(data) as unknown };
        }
        continue;
      }
      const { done, value } = await this.reader.read();
      if (done) {
        return undefined;
      }
      this.text += new TextDecoder().decode(value);
    }
  }

  close(): void {
    this.controller.abort();
  }
}
