import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where downloaded servers are kept between runs, outside the checkout: a fresh clone finds them again. */
export const CACHE_DIRECTORY = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tablequeue-test');
