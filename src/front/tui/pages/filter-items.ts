/** Which of many items a person means by a few letters. 10,000 take a few milliseconds. */

/** The places of those that match: with the letters side by side first, then with others between them. */
export function filterItems(texts: readonly string[], query: string): number[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const exact: number[] = [];
  const loose: number[] = [];
  texts.forEach((text, place) => {
    if (words.every((word) => text.includes(word))) exact.push(place);
    else if (words.every((word) => hasInOrder(text, word))) loose.push(place);
  });
  return [...exact, ...loose];
}

function hasInOrder(text: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
