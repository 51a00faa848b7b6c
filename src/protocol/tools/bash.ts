/** Bash, as every surface knows it. */

import type { FactsAbout } from './tool-facts.js';

export const bashFacts: FactsAbout<'Bash', BashInput, BashResponse> = {
  name: 'Bash',
  kind: 'execute',
  effect: 'anything',
  rule: { matches: 'command', covers: ['shell'] },
  main: ['command'],
  summary: ({ firstLine }) => firstLine('command'),
};

export type BashInput = {
  readonly command: string;
  readonly description?: string | undefined;
  readonly timeout?: number | undefined;
  readonly run_in_background?: boolean | undefined;
  readonly needs?:
    | { readonly network?: boolean | undefined; readonly write?: readonly string[] | undefined }
    | undefined;
  readonly unconfined?: boolean | undefined;
};

export type BashResponse = {
  /** What it wrote to both streams, in its order, as the model reads it: of a long output the beginning and the end. */
  readonly stdout: string;
  /** Always empty. */
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly isImage: boolean;
  /** It continues in the background, under this id. */
  readonly backgroundTaskId?: string;
};
