import { types } from 'node:util';

import { notEncoded } from '../../codec/encoded-text.js';
import { valueText } from '../../errors/thrown.js';
import { type Redact, unredacted } from '../../redaction.js';
import { errorText } from '../completing/error-text.js';

/** The longest stored text of a line, and of its fields, in characters. */
const LONGEST = 16_384;
const UNREADABLE = 'a value that cannot be read';

/** The text of a line: redacted, then cut. Never throws. */
export function messageText(message: unknown, redact: Redact): string {
  // Before it is cut: redaction may not recognize half a secret.
  return notEncoded(bounded(redact(textOf(message))));
}

/** The fields of a line as the text of a JSON object; null for none. Never throws. */
export function fieldsText(fields: unknown, redact: Redact): string | null {
  if (fields === undefined || fields === null) {
    return null;
  }
  const text = objectText(fields);
  const redacted = redact === unredacted ? text : redact(text);
  const stored = redacted === text || isJson(redacted) ? redacted : JSON.stringify({ redacted });
  // JSON has no lone surrogates and no NUL: `JSON.stringify` escapes them.
  return stored.length <= LONGEST ? stored : JSON.stringify({ cut: bounded(stored) });
}

function bounded(text: string): string {
  const kept = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters`;
  return kept.replaceAll('\0', '\\0').toWellFormed();
}

function objectText(fields: unknown): string {
  try {
    if (typeof fields !== 'object' || Array.isArray(fields) || types.isNativeError(fields)) {
      return objectText({ value: fields });
    }
    const parts = Object.entries(fields as object).flatMap(([name, value]) => {
      return value === undefined ? [] : [`${JSON.stringify(name)}:${jsonOf(value)}`];
    });
    return `{${parts.join(',')}}`;
  } catch {
    return JSON.stringify({ value: UNREADABLE });
  }
}

/** What JSON cannot store, such as a cycle, is stored as Node.js prints it. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, plain) ?? JSON.stringify(textOf(value));
  } catch {
    return JSON.stringify(textOf(value));
  }
}

function plain(_name: string, value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'function':
      return textOf(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    default:
      return types.isNativeError(value) || types.isMap(value) || types.isSet(value) ? textOf(value) : value;
  }
}

function textOf(value: unknown): string {
  try {
    if (typeof value === 'string') {
      return value;
    }
    return types.isNativeError(value) ? errorText(value) : valueText(value);
  } catch {
    return UNREADABLE;
  }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
