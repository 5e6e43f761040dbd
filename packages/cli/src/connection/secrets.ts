/** Passwords, which are never to be printed, whoever has put them into a text. */
export class Secrets {
  private readonly secrets = new Set<string>();

  /** Remembers a password, as it is or as it stands in a URL, in both ways. */
  add(secret: unknown): void {
    if (typeof secret === 'string' && secret !== '') {
      const plain = decoded(secret);
      this.secrets.add(secret).add(encodeURIComponent(secret)).add(plain).add(encodeURIComponent(plain));
    }
  }

  /** Remembers the passwords of all URLs in a text, wherever they stand, as they are written. */
  addAllOf(text: string): void {
    for (const [, password = ''] of text.matchAll(/:\/\/[^\s/:@]*:([^\s/]+)@/g)) {
      this.add(password);
    }
  }

  /** The text without any of them. */
  hide(text: string): string {
    // The longest first: one may be a part of another.
    const all = [...this.secrets].sort((a, b) => b.length - a.length);
    return all.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text);
  }
}

/** A password that was not meant for a URL may have a % in it that begins nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
