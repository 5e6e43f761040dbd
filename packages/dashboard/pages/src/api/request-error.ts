/** The problem that the server responded with (RFC 9457). Status 0: no response. */
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

  /** Whether the server refused the request before it changed anything. */
  get isClientError(): boolean {
    return this.problem.status >= 400 && this.problem.status < 500;
  }

  /** Whether the user is not signed in or not allowed, whatever the request is. */
  get isAboutUser(): boolean {
    return this.problem.status === 401 || this.problem.status === 403;
  }

  /** Whether a retry may help. */
  get isTransient(): boolean {
    return this.problem.status === 0 || this.problem.status >= 502;
  }
}
