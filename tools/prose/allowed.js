/** What the changelog lists beside the present names. */
const OLD_NAMES = [
  'whenSucceeded',
  'whenFailed',
  'whenDone',
  'onClash',
  'noOverlap',
  'deathGrace',
  'PoisonJobError',
  'EntityConflictError',
  'EntityMismatchError',
  'EntityNotRegisteredError',
  'isDatabaseAway',
  'LATEST_VERSION',
  'TableQueueRegister',
  'StoredJobs',
  'MissedPolicy',
  'UniqueRules',
];

/**
 * False positives: `text` is the text around the match, on one line, and `path` the file or folder where it is right.
 * A run over the whole repository refuses an entry that no longer matches.
 */
export const ALLOWED = [
  { path: 'tools/prose', text: '', why: 'lists what is banned' },
  ...OLD_NAMES.map((name) => ({
    path: 'CHANGELOG.md',
    text: `\`${name}`,
    why: 'the table of changes has the old name in its first column',
  })),
];
