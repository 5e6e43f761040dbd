import { type Infer, component, described, integer, oneOf, text } from './json-schema.js';

export type ProblemType = Infer<typeof ProblemType>;
const ProblemType = oneOf(
  'tablequeue:invalid-request',
  'tablequeue:unauthenticated',
  'tablequeue:forbidden',
  'tablequeue:read-only',
  'tablequeue:cross-site',
  'tablequeue:not-found',
  'tablequeue:conflict',
  'tablequeue:too-large',
  'tablequeue:unsupported-media-type',
  'tablequeue:refused',
  'tablequeue:unexpected',
  'tablequeue:stopping',
  'tablequeue:database-unavailable',
);

/** Every error of the API, as `application/problem+json` (RFC 9457). */
export type Problem = Infer<typeof Problem>;
export const Problem = component(
  'Problem',
  {
    type: ProblemType,
    title: text(),
    status: integer(400, 599),
    detail: described(text(), 'what is wrong with this request, and what to do'),
  },
  { parameter: described(text(), 'the invalid parameter, or property of the body') },
);
