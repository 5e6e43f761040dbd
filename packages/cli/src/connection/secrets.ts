import { decodeUrlPart } from '@tablequeue/typeorm/internal';

/**
 * Shorter passwords are hidden only in URLs. A text such as `root` or `a` is in many messages: hiding it everywhere
 * would make them unreadable, and would show what the password is.
 */
const SHORTEST_HIDDEN_EVERYWHERE = 6;

/** A password in a URL ends at the last `@`: a plain password may contain `@` and `/`. */
const PASSWORD_IN_URL = /(:\/\/[^\s:]*:)(\S+)@/g;

/** Returns the text with the passwords of all URLs replaced by `***`. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(PASSWORD_IN_URL, '$1***@');
}

/** The passwords that the output must not contain. */
export class Secrets {
  private readonly secrets = new Set<string>();

  /** Adds a password, plain or encoded for a URL. Both forms are hidden. */
  add(secret: unknown): void {
    if (typeof secret === 'string' && secret.length >= SHORTEST_HIDDEN_EVERYWHERE) {
      const plain = decodeUrlPart(secret);
      this.secrets.add(secret).add(encodeURIComponent(secret)).add(plain).add(encodeURIComponent(plain));
    }
  }

  /** Adds the passwords of all URLs in a text. */
  addFromUrlsIn(text: string): void {
    for (const [, , password] of text.matchAll(PASSWORD_IN_URL)) {
      this.add(password);
    }
  }

  /** Returns the text with all passwords replaced by `***`. */
  hide(text: string): string {
    // The longest first, because one password may contain another.
    const all = [...this.secrets].sort((a, b) => b.length - a.length);
    return withoutPasswords(all.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text));
  }
}
