const UNRELEASED = '## [Unreleased]';

/**
 * Gives the unreleased changes a version, and starts an empty list.
 *
 * @returns the new text of the changelog, and the changes of the version alone.
 */
export function releasedChangelog(text, version, date) {
  const [before, rest] = text.split(`${UNRELEASED}\n`);
  if (rest === undefined) throw new Error(`CHANGELOG.md has no "${UNRELEASED}".`);
  const [notes] = rest.split(/^## /m);
  if (notes.trim() === '') throw new Error('CHANGELOG.md has no unreleased changes.');
  if (text.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has the version ${version} already.`);
  return { changelog: `${before}${UNRELEASED}\n\n## [${version}] - ${date}\n${rest}`, notes: notes.trim() };
}
