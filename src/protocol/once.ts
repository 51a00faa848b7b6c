/** Makes a value when it is first asked for, and only then: for what start-up should not wait for, schemas above all. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
