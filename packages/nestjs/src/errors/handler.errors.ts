import { TableQueueError } from '@tablequeue/typeorm';
import { brandError, seeDocs } from '@tablequeue/typeorm/internal';

/** The decorator is not on a method that Nest finds: on a class, or on what is static, symbol-named or an accessor. */
export class UnsupportedHandlerMethodError extends TableQueueError {
  static {
    brandError(this, 'UnsupportedHandlerMethodError');
  }

  constructor(source: string, why: 'not a method' | 'accessor' | 'standard decorator' = 'not a method') {
    super(explainUnsupported(`The queue handler ${source}`, why) + seeDocs('guides/handlers.md'));
  }
}

/** A method has two `@QueueHandler`, one beside `@OnEvent`, or `@OnEvent` twice for one subscription. */
export class RepeatedQueueHandlerError extends TableQueueError {
  static {
    brandError(this, 'RepeatedQueueHandlerError');
  }

  constructor(
    source: string,
    /** The names of the jobs. */
    jobs: readonly [string, string],
  ) {
    super(
      `The method ${source} handles "${jobs[0]}" and also "${jobs[1]}". A method can have one @QueueHandler, or ` +
        'an @OnEvent for each of several subscriptions: give each a method of its own.' +
        seeDocs('guides/handlers.md'),
    );
  }
}

/**
 * A class overrides a decorated method without its decorator. The job would lose its handler and guards, or its
 * schedules, or the event its listener.
 */
export class UndecoratedOverrideError extends TableQueueError {
  static {
    brandError(this, 'UndecoratedOverrideError');
  }

  constructor(
    /** The overriding method: `Class.method`. */
    source: string,
    /** The overridden method: `Class.method`. */
    overridden: string,
    /** What the overriding method lacks. */
    decorator: '@QueueHandler' | '@Recurring' | '@OnQueueEvent' = '@QueueHandler',
  ) {
    const { what, advice, page } = OVERRIDDEN[decorator];
    super(
      `The method ${source} overrides the ${what} ${overridden} and has no ${decorator}. ` +
        `${advice}, or rename the method.${seeDocs(page)}`,
    );
  }
}

const OVERRIDDEN = {
  '@QueueHandler': {
    what: 'queue handler',
    advice: 'Add the decorator, and the guards and pipes it needs',
    page: 'guides/handlers.md',
  },
  '@Recurring': { what: 'recurring queue handler', advice: 'Add the decorator', page: 'guides/recurring.md' },
  '@OnQueueEvent': { what: 'event listener', advice: 'Add the decorator', page: 'guides/events.md' },
} as const;

/** Nest would run a handler without guards, pipes, interceptors or filters that are bound to it. */
export class UnreachableHandlerError extends TableQueueError {
  static {
    brandError(this, 'UnreachableHandlerError');
  }

  constructor(
    source: string,
    /** The names of those it would leave out. */
    enhancers: readonly string[],
  ) {
    super(
      `Nest cannot run ${enhancers.join(', ')} around the queue handler ${source}: it makes guards, pipes, ` +
        'interceptors and filters only for handlers whose class is provided, and this one is a controller, a module, ' +
        'a value, made by a factory, or, with older releases of Nest, provided by another token. ' +
        'List its class in `providers`, or bind instances: @UseGuards(new …).' +
        seeDocs('guides/handlers.md#enhancers-that-nest-would-ignore'),
    );
  }
}

/** The option `definitions` has two definitions with the same name. */
export class DuplicateDefinitionError extends TableQueueError {
  static {
    brandError(this, 'DuplicateDefinitionError');
  }

  constructor(readonly jobName: string) {
    super(
      `The option "definitions" has two definitions of the job "${jobName}". Keep one of them.` +
        seeDocs('guides/sharing-definitions.md'),
    );
  }
}

/** A handler names a job whose definition the module was not given. */
export class UnknownJobDefinitionError extends TableQueueError {
  static {
    brandError(this, 'UnknownJobDefinitionError');
  }

  constructor(
    readonly jobName: string,
    source: string,
    /** The names of the definitions the module was given. */
    known: readonly string[],
  ) {
    super(
      `${source} handles the job "${jobName}" by its name, and TableQueueModule has no definition of it. Add it to ` +
        'the option `definitions`, or give @QueueHandler the definition itself. ' +
        (known.length > 0 ? `It has ${known.map((name) => `"${name}"`).join(', ')}.` : 'It has none.') +
        seeDocs('guides/handlers.md'),
    );
  }
}

/** `QueueExecutionContext` was asked for what the call of a handler does not have. */
export class QueueContextError extends TableQueueError {
  static {
    brandError(this, 'QueueContextError');
  }
}

/** A method has `@Recurring` but no `@QueueHandler`, which names its job. */
export class MissingQueueHandlerError extends TableQueueError {
  static {
    brandError(this, 'MissingQueueHandlerError');
  }

  constructor(source: string) {
    super(
      `The method ${source} has @Recurring, but no @QueueHandler. Add @QueueHandler(definition) to it.` +
        seeDocs('guides/handlers.md'),
    );
  }
}

/** Two `@Recurring` have the same name: one would overwrite the other. */
export class DuplicateScheduleError extends TableQueueError {
  static {
    brandError(this, 'DuplicateScheduleError');
  }

  constructor(
    /** The name of the schedule. */
    readonly schedule: string,
    places: readonly [string, string],
  ) {
    super(
      `The schedule "${schedule}" is defined by ${places.join(' and by ')}. Give each @Recurring a name of its own.` +
        seeDocs('guides/recurring.md'),
    );
  }
}

/** A method with `@OnQueueEvent` cannot be called: there is no one instance of its class, or Nest does not find it. */
export class UnsupportedListenerError extends TableQueueError {
  static {
    brandError(this, 'UnsupportedListenerError');
  }

  constructor(source: string, why: 'scoped' | 'not a method' | 'accessor' | 'standard decorator') {
    super(
      (why === 'scoped'
        ? `The event listener ${source} belongs to a request-scoped or transient provider, or depends on one, and ` +
          'events belong to no request. Move it to a provider with the default scope.'
        : explainUnsupported(`The event listener ${source}`, why)) + seeDocs('guides/events.md'),
    );
  }
}

/** Why a decorated method cannot be called, and what to do. */
function explainUnsupported(what: string, why: 'not a method' | 'accessor' | 'standard decorator'): string {
  switch (why) {
    case 'accessor':
      return (
        `${what} is no method any more, because another decorator has made it an accessor, perhaps to bind it. ` +
        'Remove that decorator: Tablequeue calls the method with its instance as `this`.'
      );
    case 'standard decorator':
      return (
        `${what} has a standard decorator, but the decorators of Nest and Tablequeue need the older kind. ` +
        'Set "experimentalDecorators": true in the "compilerOptions" of your tsconfig.json.'
      );
    default:
      return `${what} is no method, is static, or has a symbol for its name. Make it an ordinary method of a provider.`;
  }
}
