import type { ComponentChildren } from 'preact';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** The content beside the heading. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export const Section = ({ id, title, beside, children }: SectionProps) => (
  <section aria-labelledby={id}>
    <div class="section-head">
      <h2 id={id}>{title}</h2>
      {beside}
    </div>
    {children}
  </section>
);

interface FactProps {
  readonly name: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A term and its description, in a `<dl>`. */
export const Fact = ({ name, class: className, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd class={className}>{children}</dd>
  </div>
);
