/** What a URL such as `mysql://user:password@host:3306/database` contains. */
export interface ServerUrl {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** Reads the URL of a server of MySQL or MariaDB. Missing parts are empty. */
export function readServerUrl({ hostname, port, username, password, pathname }: URL): ServerUrl {
  return {
    // The address of an IPv6 host is in brackets.
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(port || 3306),
    username: decodeUrlPart(username),
    password: decodeUrlPart(password),
    database: decodeUrlPart(pathname.slice(1)),
  };
}

/** Decodes a part of a URL. A plain password may contain a % that is no encoded character. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
