/** The result of something that can fail in an expected way. */

export type Failure = { readonly ok: false; readonly reason: string };

/** `T`: the fields of a success, next to `ok`. */
export type Result<T = unknown> = ({ readonly ok: true } & T) | Failure;

export function fail(reason: string): Failure {
  return { ok: false, reason };
}
