/** A server that the bench has started for itself, in a folder that goes when it stops. */
export interface BenchServer {
  readonly url: string;
  readonly version: string;
  /** The server's own process: what else belongs to it are its children. */
  readonly processId: number | undefined;
  stop(): Promise<void>;
}
