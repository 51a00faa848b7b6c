/** Names separated by white space, as a set. */
export function nameSet(list = ''): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((name) => name !== ''));
}
