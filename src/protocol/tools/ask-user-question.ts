/** AskUserQuestion, as every surface knows it. */

import type { FactsAbout } from './tool-facts.js';

export const askUserQuestionFacts: FactsAbout<'AskUserQuestion', AskUserQuestionInput, AskUserQuestionResponse> = {
  name: 'AskUserQuestion',
  kind: 'other',
  forUser: true,
  main: [],
};

/** One question of `AskUserQuestion`. Its text is the key of its answer. */
export type UserQuestion = {
  readonly question: string;
  readonly header: string;
  readonly options: readonly {
    readonly label: string;
    readonly description: string;
    readonly preview?: string | undefined;
  }[];
  readonly multiSelect?: boolean | undefined;
};

export type AskUserQuestionInput = {
  readonly questions: readonly UserQuestion[];
  /** By a hook, never by a model: question → label, or labels joined by ", ". */
  readonly answers?: Readonly<Record<string, string>> | undefined;
};

export type AskUserQuestionResponse = {
  readonly questions: readonly UserQuestion[];
  /** Labels joined by ", "; own text for "Other". */
  readonly answers: Readonly<Record<string, string>>;
  /** A free reply in place of answers. */
  readonly response?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
};
