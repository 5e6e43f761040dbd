import type { Type } from '@nestjs/common';
import { type ContextIdFactory, type DiscoveryService, ModuleRef, type ModulesContainer } from '@nestjs/core';

import { type DecoratedMethod, decoratedMethods } from './decorated-method.scanner.js';

type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];
/** Under which Nest keeps the instances of one attempt. */
export type ContextId = ReturnType<typeof ContextIdFactory.create>;
export type HandlerInstance = Readonly<Record<string, unknown>>;

/** A provider or controller that has handlers. */
export class HandlerHost {
  readonly type: Type;

  private constructor(
    private readonly wrapper: ProviderWrapper,
    /** Where its methods are. */
    readonly prototype: object,
    private readonly isController: boolean,
  ) {
    this.type = prototype.constructor as Type;
  }

  /** @returns undefined where there can be no handlers. */
  static of(wrapper: ProviderWrapper, isController: boolean): HandlerHost | undefined {
    const prototype = wrapper.isAlias ? undefined : prototypeOf(wrapper);
    return prototype && new HandlerHost(wrapper, prototype, isController);
  }

  get id(): string {
    return this.wrapper.id;
  }

  /** Whether Nest creates an instance for each attempt. */
  get isPerAttempt(): boolean {
    return isPerAttempt(this.wrapper);
  }

  /** The instance, where there is one for all attempts. */
  get instance(): HandlerInstance {
    return this.wrapper.instance as HandlerInstance;
  }

  /** @throws UndecoratedOverrideError, MissingQueueHandlerError, UnsupportedHandlerMethodError */
  methods(): readonly DecoratedMethod[] {
    return decoratedMethods(this.prototype, (method) => this.sourceOf(method));
  }

  /** A method's name in error messages. */
  sourceOf(method: string): string {
    const { token } = this.wrapper;
    const name = typeof token === 'function' ? token.name : String(token);
    const provided = token === this.type ? '' : `, provided as ${name}`;
    return `${this.type.name}.${method} (${this.wrapper.host?.name ?? 'unknown module'}${provided})`;
  }

  /**
   * Makes an instance, or takes a durable one of this context.
   *
   * @param request what `@Inject(REQUEST)` gives, unless the application's `ContextIdStrategy` has a payload: then it
   *   has the properties of that, and durable providers get that alone, as in a route.
   */
  resolve(request: object, contextId: ContextId): Promise<HandlerInstance> {
    // Of its own module: another one may provide something else by the same token.
    const moduleRef = this.wrapper.host?.getProviderByKey(ModuleRef).instance as ModuleRef;
    const injected: unknown = this.wrapper.isDependencyTreeDurable()
      ? contextId.payload
      : Object.assign(request, contextId.payload);
    moduleRef.registerRequestByContextId(injected, contextId);
    return moduleRef.resolve<HandlerInstance>(this.wrapper.token, contextId, { strict: true });
  }

  /** Whether Nest makes this class of guard, pipe, interceptor or filter for its handlers. */
  canMake(enhancer: object): boolean {
    return !this.isController && this.wrapper.host?.injectables.has(enhancer as never) === true;
  }

  /** Whether the first module that has its class as a token is its own. */
  isFoundByClass(modules: ModulesContainer): boolean {
    return [...modules.values()].find((module) => module.hasProvider(this.type)) === this.wrapper.host;
  }

  /** Whether its class is listed, so that Nest runs global enhancers around it that are request-scoped or transient. */
  get isListed(): boolean {
    return this.isController || this.wrapper.host?.entryProviders.includes(this.wrapper) === true;
  }
}

function isPerAttempt(wrapper: ProviderWrapper): boolean {
  return wrapper.isTransient || !wrapper.isDependencyTreeStatic();
}

/**
 * Where the methods are. A provider made by a factory has a class only through its instance; a scoped one only without.
 */
function prototypeOf(wrapper: ProviderWrapper): object | undefined {
  if (isPerAttempt(wrapper)) {
    return wrapper.isFactory ? undefined : ((wrapper.metatype?.prototype as object | undefined) ?? undefined);
  }
  const instance = wrapper.instance as unknown;
  return typeof instance === 'object' && instance !== null
    ? ((Object.getPrototypeOf(instance) as object | null) ?? undefined)
    : undefined;
}
