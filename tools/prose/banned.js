/**
 * Words and turns of phrase that make a reader stop, with what to write instead.
 *
 * `find` is a regular expression without regard to case, where a space stands for any white space.
 * It is looked for in prose: comments, strings of three words and more, Markdown without code.
 */
export const BANNED_PHRASES = [
  // People
  { find: 'whoever|whomever|whosoever', write: '"the caller", "the user", "a process that"' },
  { find: 'nobody|no-one', write: '"no worker", "no other code": name who' },
  { find: 'somebody|someone else', write: '"another process", "the caller": name who' },

  // Clauses without a noun
  { find: '(?:some|any|all|each|both|many|most|one|none|two|three|out) of which|of which', write: 'a second sentence' },
  { find: '(?:that|those|this) which', write: 'the noun: "the job that"' },
  { find: 'what (?:is|was|are|were) left', write: 'the noun: "unfinished jobs", "the remaining time"' },
  { find: 'is what|are what|was what', write: 'the plain order: subject, verb, object' },
  { find: '(?:of|from|with|by|than) what (?:is|was|are|were|it|they|the|a|an|others)', write: 'the noun' },
  { find: 'of those of|that of those', write: 'the noun again' },
  { find: 'one of one|of one of (?:a|the|its)', write: 'the noun again' },

  // "is to", "be it so"
  {
    find: '(?<!goal |step |way |aim |fix |idea |choice |option |task |job |purpose |solution |alternative )(?:is|are|was|were) (?:not |never |only )?to (?!the |a |an |be found)\\p{L}+',
    write: '"must", "should" or "will"',
  },
  { find: '(?:is|are|was|were) to be (?:found|had|seen)', write: '"is in", "is available"' },
  { find: '(?:come|comes|came) to (?:be|have|an end|nothing)', write: 'the plain verb: "is", "has", "ends", "fails"' },

  // Inversions
  {
    find: "(?<=(?:^|[.;:¶!?]) ?)(?:neither|never|seldom|nowhere|not until \\S+|not only|only then|only so|so(?! do not)|such) (?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|must|may)(?!n’t|n't)",
    write: 'subject before verb: "It is also not", "This never"',
  },
  { find: 'nor (?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|must|may)', write: '"and … not"' },
  { find: '(?<=[.;:¶,] )(?:were|had|should) (?:it|they|he|the|a|an|one|there|its|that)', write: '"if it …"' },
  { find: 'be (?:it|they) (?:a|an|the|in|by|with|of)', write: '"whether …"' },

  // Set phrases
  { find: 'by (?:itself|themselves)', write: '"automatically", "alone", or nothing' },
  { find: 'for ever', write: '"forever", "indefinitely", "never ends"' },
  { find: 'as a rule', write: '"usually"' },
  {
    find: 'put(?:s|ting)? off|put(?:s|ting)? (?:it|them|itself|a job|the job|jobs|its job) off',
    write: '"run later", "snooze", "delay"',
  },
  { find: 'hand(?:s|ed|ing)?(?: (?:it|them|a job|the job|jobs|its jobs|its job))? back', write: '"return"' },
  { find: 'charg(?:e|es|ed|ing)', write: '"count as a failure"' },
  { find: 'to the moment', write: '"on time", "exactly then"' },
  { find: '(?<!data |encryption |encrypted )at rest', write: '"idle"' },
  { find: 'in(?:to)? the hands of', write: 'who does it' },
  { find: '(?:write|writes|wrote|written|writing|note|notes|noted) (?:it |them )?down', write: '"save", "record"' },
  { find: '(?:take|takes|took|taken) (?:it|them|this|that|its \\S+) back', write: '"roll back", "undo"' },
  { find: 'ha(?:s|ve|d) to say', write: '"reports", "contains"' },
  { find: '(?<!for )want(?:s|ed)? of', write: '"needs from"' },
  { find: '(?:of|from) (?:before|then|now|old)(?= ?[.,;:)¶])', write: '"earlier", "current", "old" before the noun' },
  { find: '(?:lie|lies|lied|lying) to', write: '"wrong", "given wrong answers"' },
  { find: 'keeps? no', write: '"does not prevent"' },
  { find: 'makes? nothing of', write: '"ignores"' },
  { find: 'have (?:it|them) that', write: 'the plain verb' },

  // Verbs of speech and posture for what code does
  { find: 'tells?|telling|told', write: '"returns", "reports", "emits", "shows"' },
  { find: 'hear|hears|heard|hearing', write: '"receives", "is notified"' },
  { find: 'says?|said|saying', write: '"returns", "reports", "shows", "defines"' },
  { find: 'stands?|stood|standing', write: '"is", "exists", "is stored in"' },
  {
    find: '(?:server|database|engine|version|MySQL|MariaDB|SQLite)s?(?: \\d[\\d.]*)?(?: that)? (?:do not |does not |did not )?(?:know|knows|knew) ',
    write: '"supports"',
  },

  // Old words
  { find: 'anew|afresh', write: '"again"' },
  { find: 'begun', write: '"started"' },
  { find: 'shall', write: '"must", "will"' },
  {
    find: 'thereof|therein|thereby|thereupon|whereof|wherein|whereby|whereupon|henceforth|hitherto|lest|albeit|whilst|amongst|oft|ere|unto|aught|naught|heretofore',
    write: 'a word of today',
  },

  // One word, one meaning
  { find: 'settle|settles|settled|settling|settler', write: '"complete" (the outcome of a job)' },
  { find: 'drain watch|death watch', write: '"cancellation poller", "failure detector"' },
  { find: 'silent workers?', write: '"missing worker"' },
  { find: 'bells?|rings? the bell', write: '"notifier", "notice"' },
  { find: 'room', write: '"capacity", "space"' },
  { find: 'lock-?free', write: '"SKIP LOCKED"' },
];

/** Names that were replaced. They are looked for in the whole file, code included, and their case counts. */
export const REPLACED_NAMES = [
  { find: 'whenSucceeded', write: 'onSuccess' },
  { find: 'whenFailed', write: 'onFailure' },
  { find: 'whenDone', write: 'onComplete' },
  { find: 'onClash', write: 'onConflict' },
  { find: 'noOverlap', write: 'overlap: false' },
  { find: 'MissedPolicy', write: 'CatchUpPolicy' },
  { find: 'deathGrace', write: 'deadWorkerGracePeriod' },
  { find: 'PoisonJobError', write: 'JobCrashedTooOftenError' },
  { find: 'LivingWorker', write: 'WorkerHealth' },
  { find: 'StoredJobs', write: 'JobBrowser' },
  { find: 'isDatabaseAway', write: 'isDatabaseUnavailable' },
  { find: 'TableQueueRegister', write: 'Register' },
  { find: 'UniqueRules', write: 'UniqueOptions' },
  { find: 'Entity(?:Conflict|Mismatch|NotRegistered)Error', write: 'EntityError' },
  { find: 'LATEST_VERSION', write: 'TABLES_VERSION' },
  { find: 'LookSchedule|look-schedule', write: 'PollSchedule' },
  { find: 'lookForJobs|look-for-jobs', write: 'pollQueues' },
  { find: 'ClaimDoubts|claim-doubts', write: 'UncertainClaims' },
  { find: 'ClaimGate|claim-gate', write: 'ClaimMutex' },
  { find: 'TenantTurns|TurnOrder|tenant-turns|by-turns', write: 'TenantRoundRobin, RoundRobinOrder' },
  { find: 'SharedRoom|TenantRoom|QueueSlots', write: 'WorkerCapacity, TenantCapacity, QueueCapacity' },
  { find: 'Settler', write: 'JobCompleter' },
  { find: 'OutcomeWriter|outcome-writer', write: 'CompletionBatcher' },
  { find: 'outcome-rules|outcomeRules|OutcomeRules', write: 'outcome-policy' },
  { find: 'OutcomeReports|outcome-reports', write: 'OutcomeEvents' },
  { find: 'Gatherer|gatherer', write: 'Batcher' },
  { find: 'untilFree|until-free', write: 'retryWhileLocked' },
  { find: 'JobRunner|job-runner', write: 'JobExecutor' },
  { find: 'JobRun|job-run', write: 'Attempt' },
  { find: 'RunningJobs|running-jobs', write: 'JobPool' },
  { find: 'LastChances|last-chances', write: 'PoisonIsolation' },
  { find: 'left-to-others', write: 'unhandled-jobs' },
  { find: 'Overruns', write: 'TimedOutAttempts' },
  { find: 'WorkerLock|worker-lock', write: 'LivenessLock' },
  { find: 'StatedLock|stated-lock', write: 'AdvertisedLock' },
  { find: 'DeathWatch|death-watch|silent-workers', write: 'FailureDetector, missing-workers' },
  { find: 'DrainWatch|drain-watch', write: 'CancellationPoller' },
  { find: 'OutageLog|outage-log', write: 'ThrottledLogger' },
  { find: 'lockFree|lock-free', write: 'lockSkippingLocked' },
  { find: 'HeldRows', write: 'LockedRowCache' },
  { find: 'passesOver', write: 'canSkipLocked' },
  { find: 'ownResult|own-result', write: 'resultCaseExpression' },
  { find: 'endMembers|end-members', write: 'completeGroupMembers' },
  { find: 'findUnheldRuns|find-unheld-runs', write: 'classifyUnlocked' },
  { find: 'new-places|newPlaces', write: 'initial-state' },
];
