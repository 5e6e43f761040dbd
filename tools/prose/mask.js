/** Replaces each match by as many spaces, or by `fill`; line breaks stay. */
export function mask(text, pattern, fill = ' ') {
  return text.replace(pattern, (match) => match.replace(/[^\n]/g, fill));
}

/** Hides Markdown code. Inline code becomes one made-up word, since a sentence counts it as one. */
export function maskCode(text) {
  return mask(mask(text, /```[\s\S]*?(?:```|$)/g), /`[^`]+`/g, 'x');
}
