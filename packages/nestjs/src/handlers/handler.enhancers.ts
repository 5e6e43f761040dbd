import type { ApplicationConfig, ExternalContextCreator, ModulesContainer } from '@nestjs/core';

import { UnreachableHandlerError } from '../errors/index.js';
import type { DecoratedMethod } from './decorated-method.scanner.js';
import { argumentsOf } from './handler.arguments.js';
import type { HandlerHost } from './handler.host.js';
import { type Enhancer, type EnhancerKind, boundEnhancers } from './nest.metadata.js';

const KINDS: readonly EnhancerKind[] = ['guards', 'interceptors', 'pipes', 'filters'];

/** Guards, interceptors, pipes and filters: what Nest runs around handlers. */
export class Enhancers {
  constructor(
    private readonly config: ApplicationConfig,
    private readonly creator: ExternalContextCreator,
    private readonly modules: ModulesContainer,
  ) {}

  /** The names of the global ones, which run around all handlers. */
  globalNames(): readonly string[] {
    return KINDS.flatMap((kind) => [...this.globals(kind).map(nameOf), ...this.scopedGlobals(kind)]);
  }

  /** Whether there are any of a kind around a handler. */
  has(kind: EnhancerKind, { type }: HandlerHost, { method }: DecoratedMethod): boolean {
    return [boundEnhancers(kind, type, method), this.globals(kind), this.scopedGlobals(kind)].some(
      ({ length }) => length > 0,
    );
  }

  /** @throws UnreachableHandlerError where Nest would silently skip any of them. */
  assertReached(host: HandlerHost, { name, method }: DecoratedMethod): void {
    const bound = [
      ...KINDS.flatMap((kind) => boundEnhancers(kind, host.type, method)),
      ...Object.values(argumentsOf(host.type, name)).flatMap(({ pipes }) => pipes),
    ];
    const leftOut = bound
      .filter((enhancer) => typeof enhancer === 'function' && !this.canMake(enhancer, host))
      .map(nameOf);
    if (!host.isListed) {
      leftOut.push(...KINDS.flatMap((kind) => this.scopedGlobals(kind)));
    }
    if (leftOut.length > 0) {
      throw new UnreachableHandlerError(host.sourceOf(name), [...new Set(leftOut)]);
    }
  }

  /** Nest 10 to 11.2 find a handler's module by its class only, and silently run no guards if there is none. */
  private canMake(enhancer: object, host: HandlerHost): boolean {
    const findsModules = 'getHostModuleKey' in this.creator || host.isFoundByClass(this.modules);
    return findsModules && host.canMake(enhancer);
  }

  /** Those with one instance. */
  private globals(kind: EnhancerKind): readonly Enhancer[] {
    const { config } = this;
    return {
      guards: () => config.getGlobalGuards(),
      interceptors: () => config.getGlobalInterceptors(),
      pipes: () => config.getGlobalPipes(),
      filters: () => config.getGlobalFilters(),
    }[kind]();
  }

  /** The names of those that are request-scoped or transient. */
  private scopedGlobals(kind: EnhancerKind): readonly string[] {
    const { config } = this;
    const wrappers = {
      guards: () => config.getGlobalRequestGuards(),
      interceptors: () => config.getGlobalRequestInterceptors(),
      pipes: () => config.getGlobalRequestPipes(),
      filters: () => config.getGlobalRequestFilters(),
    }[kind]();
    return wrappers.map(({ metatype, name }) => metatype?.name ?? String(name));
  }
}

function nameOf(enhancer: Enhancer): string {
  return typeof enhancer === 'function' ? enhancer.name : enhancer.constructor.name;
}
