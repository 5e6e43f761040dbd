import type { DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A provider or controller as Nest keeps it. */
export type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

type Method = (...args: unknown[]) => unknown;

/** A method of a provider or controller of the application. */
export interface ScannedMethod {
  readonly wrapper: ProviderWrapper;
  readonly name: string;
  readonly method: Method;
  /** `Class.method (Module)`, for error texts. */
  readonly place: string;
}

/** All methods of all providers and controllers, the inherited ones, too. */
export function scanMethods(discovery: DiscoveryService, scanner: MetadataScanner): ScannedMethod[] {
  return [...discovery.getProviders(), ...discovery.getControllers()]
    .filter(({ isAlias }) => !isAlias)
    .flatMap((wrapper) => methodsOf(wrapper, scanner));
}

function methodsOf(wrapper: ProviderWrapper, scanner: MetadataScanner): ScannedMethod[] {
  const prototype = prototypeOf(wrapper) as Readonly<Record<string, Method>> | undefined;
  return scanner.getAllMethodNames(prototype ?? null).map((name) => ({
    wrapper,
    name,
    method: prototype?.[name] as Method,
    place: `${String(wrapper.name)}.${name} (${wrapper.host?.name ?? 'unknown module'})`,
  }));
}

/** Where the methods are. A provider made by a factory has a class only through its instance; a scoped one only without. */
function prototypeOf(wrapper: ProviderWrapper): object | undefined {
  if (!wrapper.isDependencyTreeStatic()) {
    return (wrapper.metatype?.prototype as object | undefined) ?? undefined;
  }
  const instance = wrapper.instance as unknown;
  return typeof instance === 'object' && instance !== null
    ? ((Object.getPrototypeOf(instance) as object | null) ?? undefined)
    : undefined;
}
