/** Control characters, and those that change the direction of a text. */
// eslint-disable-next-line no-control-regex -- it finds them
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes control characters visible: a text of an application must not move the cursor of a terminal. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** What `Output.style` adds. */
// eslint-disable-next-line no-control-regex -- it finds them
const STYLE = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

/** The same for a text with styles, which stay. */
export function visibleBesideStyles(text: string): string {
  return text
    .split(STYLE)
    .map((part, index) => (index % 2 === 0 ? visible(part) : part))
    .join('');
}
