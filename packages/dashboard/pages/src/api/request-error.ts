/** What the server says about a request it refuses (RFC 9457); status 0 where nothing has answered. */
export interface Problem {
  readonly type?: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
}

export class RequestError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
    this.name = 'RequestError';
  }

  /** Whether the server has seen what is wrong with the request before it did anything. */
  get isRefusal(): boolean {
    return this.problem.status >= 400 && this.problem.status < 500;
  }

  /** Whether it is about the one who asks, whatever is asked for. */
  get isOfCaller(): boolean {
    return this.problem.status === 401 || this.problem.status === 403;
  }

  /** Whether asking again may help without anybody changing anything. */
  get isPassing(): boolean {
    return this.problem.status === 0 || this.problem.status >= 502;
  }
}
