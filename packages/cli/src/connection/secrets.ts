/** Passwords, which are never to be printed, whoever has put them into a text. */
export class Secrets {
  private readonly secrets = new Set<string>();

  /** Remembers a password as it is, and as it stands in a URL. */
  add(secret: unknown): void {
    if (typeof secret === 'string' && secret !== '') {
      this.secrets.add(secret).add(encodeURIComponent(secret));
    }
  }

  /** The text without any of them. */
  hide(text: string): string {
    // The longest first: one may be a part of another.
    const all = [...this.secrets].sort((a, b) => b.length - a.length);
    return all.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text);
  }
}
