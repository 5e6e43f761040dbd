import { signal } from '@preact/signals';

/** The database that is shown; undefined for the first one. It is part of every URL, so that links can be shared. */
export const database = signal<string | undefined>(new URLSearchParams(location.search).get('database') ?? undefined);
