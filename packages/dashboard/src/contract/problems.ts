/** What went wrong: `tablequeue:` and a name that stays the same. */
export type ProblemType =
  | 'tablequeue:invalid-request'
  | 'tablequeue:unauthenticated'
  | 'tablequeue:forbidden'
  | 'tablequeue:read-only'
  | 'tablequeue:cross-site'
  | 'tablequeue:not-found'
  | 'tablequeue:conflict'
  | 'tablequeue:too-large'
  | 'tablequeue:unsupported-media-type'
  | 'tablequeue:refused'
  | 'tablequeue:unexpected'
  | 'tablequeue:stopping'
  | 'tablequeue:database-unavailable';

/**
 * Every error of the API: `application/problem+json` (RFC 9457). Writes need the header `X-Tablequeue-Dashboard: 1`, the
 * content type `application/json` and a body: `{}` where nothing is asked for.
 */
export interface Problem {
  readonly type: ProblemType;
  readonly title: string;
  readonly status: number;
  /** What was wrong with this request, and what to do. */
  readonly detail: string;
  /** The parameter, or the property of the body, that was wrong. */
  readonly parameter?: string;
}
