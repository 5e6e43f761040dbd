import { Time } from '../../components/time.js';
import type { JobSearchPage } from '../../contract.js';
import { formatJobs } from '../../format/numbers.js';

/** How far a search has come, and what it could not read. */
export function HowFar({ pages }: { readonly pages: readonly JobSearchPage[] }) {
  const last = pages.at(-1);
  if (!last) {
    return null;
  }
  const examined = pages.reduce((sum, page) => sum + page.examined, 0);
  const codecs = [...new Set(pages.flatMap(({ encodedBy }) => encodedBy))];
  return (
    <p class="quiet how-far">
      {last.next === null ? (
        `All jobs were searched: ${formatJobs(examined)}.`
      ) : (
        <>
          {`${formatJobs(examined)} searched so far`}
          {last.searchedSince !== null && (
            <>
              : all that were created since <Time at={last.searchedSince} />
            </>
          )}
          .
        </>
      )}
      {codecs.length > 0 && ` Encoded errors and payloads were not searched: codec ${codecs.join(', ')}.`}
    </p>
  );
}
