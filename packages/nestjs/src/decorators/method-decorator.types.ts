/**
 * A decorator of methods whose type checks the method, and that `applyDecorators` of Nest accepts.
 *
 * `applyDecorators` takes decorators of any method, or of classes. As one of any method it would check nothing. A
 * decorator of classes has too few parameters for a method, so the compiler never chooses it there.
 */
export type ComposableDecorator<Decorator> = ClassDecorator & Decorator;

/** What all decorators of methods are called with. A class has neither a property nor a descriptor. */
export type DecoratorArguments = [target: object, property?: string | symbol, descriptor?: PropertyDescriptor];
