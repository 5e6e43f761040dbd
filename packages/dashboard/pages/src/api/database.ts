import { signal } from '@preact/signals';

/** The database that is shown; undefined is the first. It is part of every address, so that links can be shared. */
export const database = signal<string | undefined>(new URLSearchParams(location.search).get('database') ?? undefined);
