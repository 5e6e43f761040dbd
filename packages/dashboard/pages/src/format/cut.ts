/** Cuts a text in the middle: names often differ only at their ends. */
export function cutInMiddle(text: string, most: number): string {
  // Whole code points: half a surrogate pair is no character.
  const characters = Array.from(text);
  if (characters.length <= most) {
    return text;
  }
  const end = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - end).join('')}…${characters.slice(-end).join('')}`;
}
