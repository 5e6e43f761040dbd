/** Where the pages of the documentation are read. */
const DOCS = 'https://github.com/tablequeue/tablequeue/blob/main/docs';

/**
 * The last sentence of an error's message: the page that explains the fix.
 *
 * @param page the file below `docs`, with its anchor.
 */
export function seeDocs(page: `${string}.md` | `${string}.md#${string}`): string {
  return ` See ${DOCS}/${page}`;
}
