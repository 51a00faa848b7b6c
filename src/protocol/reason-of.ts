/** Returns the reason of a failure, for people: the message of the error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
