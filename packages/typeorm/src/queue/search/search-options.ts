import type { Codecs } from '../../codec/codecs.js';
import { BEHIND_ALL_IDS, isJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { assertKey } from '../../definition/names.js';
import { EncodedPayloadsError, InvalidNameError, InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import type { SearchText } from '../../store/browse/search-text.js';
import { type JobFilter, STATES } from '../jobs/job-filter.js';

/** The longest text of a search, in characters. */
const LONGEST_TEXT = 1_000;

/** A text without these characters is not a part of a name. */
const NAME_CHARACTERS = /^[A-Za-z0-9._:/@-]+$/;

/** Options of `jobs.search`. */
export interface JobSearchOptions {
  /** Only jobs of this state are returned. Those of other states are counted. Default: jobs of all states. */
  readonly state?: JobFilter['state'];
  /** Whether payloads are searched too. Default: false. */
  readonly payload?: boolean;
  /** The size of a page: 1 to 1,000 jobs. Default: 100. */
  readonly limit?: number;
  /** `next` of the call before, with the same text and options. Default: from the beginning. */
  readonly after?: string;
}

/** Where a search reads, in this order. */
const SOURCES = ['exact', 'key', 'all'] as const;

export type SearchSource = (typeof SOURCES)[number];

/** How far a search has come: in a source, all jobs down to an id. */
export interface SearchPosition {
  readonly source: SearchSource;
  readonly before: Buffer;
}

/** A checked search. */
export interface Search {
  readonly wanted: SearchText;
  readonly state: JobFilter['state'] | undefined;
  readonly limit: number;
  readonly start: SearchPosition;
}

/** @throws InvalidOptionError, UnknownOptionError, EncodedPayloadsError */
export function resolveSearch(text: string, options: JobSearchOptions, codecs: Codecs): Search {
  assertText(text);
  assertKnownOptions(options, ['state', 'payload', 'limit', 'after']);
  const { state, payload = false, limit = 100, after } = options;
  if (state !== undefined && !STATES.includes(state)) {
    throw new InvalidOptionError('state', state, `one of ${STATES.join(', ')}`);
  }
  if (typeof payload !== 'boolean') {
    throw new InvalidOptionError('payload', payload, 'true or false');
  }
  const encoder = codecs.encoderFor({});
  if (payload && encoder) {
    throw new EncodedPayloadsError(encoder.id);
  }
  return {
    wanted: {
      text,
      id: isJobId(text) ? uuidToBytes(text) : undefined,
      isKey: isKey(text),
      isName: NAME_CHARACTERS.test(text),
      inPayload: payload ? textsInPayload(text) : [],
    },
    state,
    limit: wholeNumber('limit', limit, 1, 1_000),
    start: after === undefined ? startOf('exact') : positionFromText(after),
  };
}

function startOf(source: SearchSource): SearchPosition {
  return { source, before: BEHIND_ALL_IDS };
}

/** The start of the source after this one; undefined after the last one. */
export function sourceAfter({ source }: SearchPosition): SearchPosition | undefined {
  const next = SOURCES[SOURCES.indexOf(source) + 1];
  return next && startOf(next);
}

export function textOfPosition({ source, before }: SearchPosition): string {
  return `${source}.${uuidFromBytes(before)}`;
}

/** @throws InvalidOptionError for a text that no search has returned. */
function positionFromText(text: unknown): SearchPosition {
  const [, name, id] = /^([a-z]+)\.([0-9a-f-]{36})$/.exec(typeof text === 'string' ? text : '') ?? [];
  const source = SOURCES.find((each) => each === name);
  if (source === undefined || !isJobId(id)) {
    throw new InvalidOptionError('after', text, 'the "next" of a search');
  }
  return { source, before: uuidToBytes(id) };
}

/** NUL and lone surrogates cannot be stored exactly, so no job contains them. */
function assertText(text: unknown): asserts text is string {
  const accepted = `a text of 1 to ${LONGEST_TEXT} characters, without NUL and lone surrogates`;
  if (typeof text !== 'string' || text.length > LONGEST_TEXT) {
    throw new InvalidOptionError('text', typeof text === 'string' ? `${text.length} characters` : text, accepted);
  }
  if (text.trim() === '' || text.includes('\0') || !text.isWellFormed()) {
    throw new InvalidOptionError('text', text, accepted);
  }
}

function isKey(text: string): boolean {
  try {
    assertKey(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidNameError) {
      return false;
    }
    throw error;
  }
}

/** As it is, for a piece of JSON, and as it is written inside a JSON string: there a quote has a backslash. */
function textsInPayload(text: string): string[] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1)])];
}
