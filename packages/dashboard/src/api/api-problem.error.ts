import type { Problem, ProblemType } from '../contract/index.js';

type Name = ProblemType extends `tablequeue:${infer Rest}` ? Rest : never;

const PROBLEMS: Readonly<Record<Name, { readonly status: number; readonly title: string }>> = {
  'invalid-request': { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'You are not signed in' },
  forbidden: { status: 403, title: 'Not allowed' },
  'read-only': { status: 403, title: 'Your access is read-only' },
  'cross-site': { status: 403, title: 'The request does not come from the dashboard' },
  'not-found': { status: 404, title: 'Not found' },
  conflict: { status: 409, title: 'Not possible in this state' },
  'too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is not JSON' },
  refused: { status: 400, title: 'The application refused the request' },
  unexpected: { status: 500, title: 'Unexpected error' },
  stopping: { status: 503, title: 'The application is stopping' },
  'database-unavailable': { status: 503, title: 'The database does not answer' },
};

/** Ends a request with a problem response. */
export class ApiProblem extends Error {
  readonly problem: Problem;

  /**
   * @param detail what is wrong with this request, and what to do.
   * @param parameter the invalid parameter.
   * @param status default: that of the problem type. Given if the application chose it.
   */
  constructor(name: Name, detail: string, parameter?: string, status = PROBLEMS[name].status) {
    super(detail);
    const { title } = PROBLEMS[name];
    this.problem = { type: `tablequeue:${name}`, title, status, detail, ...(parameter !== undefined && { parameter }) };
  }
}
