import { decodeUrlPart } from '@tablequeue/typeorm/internal';

/** The passwords that the output must not contain. */
export class Secrets {
  private readonly secrets = new Set<string>();

  /** Adds a password, plain or encoded for a URL. Both forms are hidden. */
  add(secret: unknown): void {
    if (typeof secret === 'string' && secret !== '') {
      const plain = decodeUrlPart(secret);
      this.secrets.add(secret).add(encodeURIComponent(secret)).add(plain).add(encodeURIComponent(plain));
    }
  }

  /** Adds the passwords of all URLs in a text. */
  addFromUrlsIn(text: string): void {
    for (const [, password = ''] of text.matchAll(/:\/\/[^\s/:@]*:([^\s/]+)@/g)) {
      this.add(password);
    }
  }

  /** Returns the text with all passwords replaced by `***`. */
  hide(text: string): string {
    // The longest first, because one password may contain another.
    const all = [...this.secrets].sort((a, b) => b.length - a.length);
    return all.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text);
  }
}
