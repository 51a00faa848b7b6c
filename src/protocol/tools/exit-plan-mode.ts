/** ExitPlanMode, as every surface knows it. */

import type { FactsAbout } from './tool-facts.js';

export const exitPlanModeFacts: FactsAbout<'ExitPlanMode', ExitPlanModeInput, ExitPlanModeResponse> = {
  name: 'ExitPlanMode',
  kind: 'switch_mode',
  forUser: true,
  main: [],
  document: 'plan',
};

export type ExitPlanModeInput = {
  readonly plan: string;
  /** The file with the plan; put in by us. */
  readonly planFilePath?: string | undefined;
};

export type ExitPlanModeResponse = {
  readonly plan: string;
  readonly isAgent: boolean;
  readonly filePath?: string;
  readonly planWasEdited?: true;
};
