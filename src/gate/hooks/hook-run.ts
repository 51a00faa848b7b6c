/** How the run of one hook came out, before anybody reads what it said. */

export type HookRun =
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
      /** There was more on stdout than is read. */
      readonly stdoutCut: boolean;
    }
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'not started'; readonly reason: string }
  | { readonly kind: 'killed'; readonly signal: string; readonly stderr: string }
  | { readonly kind: 'threw'; readonly reason: string }
  | { readonly kind: 'timed out'; readonly seconds: number }
  | { readonly kind: 'aborted' };
