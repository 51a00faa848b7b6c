/** All that can be said of a tool without running it: who it is, what a rule of it matches, how its calls are shown. */

import type { Action } from '../action.js';

/** The facts about one tool. `Response`: what it answers to hooks; omitted: the blocks of its result. */
export type FactsAbout<Name extends string, Input = OtherInput, Response = unknown> = ToolFacts<
  keyof Input & string
> & {
  readonly name: Name;
  /** For the compiler alone, never set. */
  readonly types?: { readonly input: Input; readonly response: Response };
};

export type ToolFacts<Field extends string = string> = {
  readonly name: string;
  /** Other names that rules, hooks and models may use. */
  readonly aliases?: readonly string[];
  /** The name to show, if it differs. */
  readonly title?: string;
  /** The group that an editor shows it in. */
  readonly kind: ToolKind;
  /** What its calls can change. Omitted: nothing is promised, so a client expects the worst. */
  readonly effect?: ToolEffect;
  readonly rule?: RuleFacts;
  /** Speaks to the user at the session: the main agent alone has it, and no other program is offered it. */
  readonly forUser?: true;
  /** Works through other agents: a coordinator has only these. */
  readonly coordinates?: true;
  /** Its calls only wait: for a task with signs of life of its own, or for something else that the session does. */
  readonly waitsFor?: 'task' | 'other';
  /** The field with the file or folder that it is about. */
  readonly path?: Field;
  /** The field with the line of that file where it begins. */
  readonly line?: Field;
  /** The fields that say what a call is about: the first with text is shown. None: the name says it all. Omitted: the whole input. */
  readonly main?: readonly Field[];
  /** What a call is about where there is room for one row. Omitted: as `main`, with the path relative to the session's folder. */
  summary?(call: CallFields<Field>): string;
  /** How its result is shown. Omitted: as output, the first lines. */
  readonly result?: ResultStyle;
  /** The change that it makes to a text. */
  readonly change?: TextChange<Field>;
  /** The field with Markdown that is shown with the whole call. */
  readonly document?: Field;
  /** An item of its own shows what it changed: the call is not shown. */
  readonly hasOwnItem?: true;
  /** Of the lines of its result those for the user: the others are for the model. */
  linesForUser?(lines: readonly string[], isError: boolean): readonly string[];
};

/** The input of a tool whose fields we don't know. */
export type OtherInput = Readonly<Record<string, unknown>>;

/** As in the Agent Client Protocol. */
export type ToolKind = 'read' | 'edit' | 'search' | 'execute' | 'think' | 'fetch' | 'switch_mode' | 'other';

export type ToolEffect =
  /** Nothing. */
  | 'none'
  /** Nothing, but it reaches out of the machine. */
  | 'none-outside'
  /** Only the agent's own notes about its work. */
  | 'notes'
  /** Files or tasks of this session. */
  | 'changes'
  /** Whatever its command, or its agent, does. */
  | 'anything';

export type RuleFacts = {
  /** What the parentheses of a rule of it hold. Omitted: it takes none. */
  readonly matches?: 'command' | 'path' | 'host' | 'agent' | 'skill';
  /** A rule of it covers every call that does this, whatever its tool. */
  readonly covers?: readonly Action['kind'][];
  /** A rule of that tool covers this one. */
  readonly coveredBy?: 'Read' | 'Edit';
};

/**
 * `lines`: their number tells enough. `none`: the call tells enough. `diff`: the change is shown instead. `prose`: text to be
 * read, not output.
 */
export type ResultStyle = 'lines' | 'none' | 'diff' | 'prose';

/** The fields with the old text, as far as the call has it, and the new one. */
export type TextChange<Field extends string = string> =
  | { readonly of: 'part'; readonly before: Field; readonly after: Field }
  | { readonly of: 'file'; readonly after: Field }
  /** `mode`: the field that is `delete` if there is no new text. */
  | { readonly of: 'cell'; readonly after: Field; readonly mode: Field };

/** The fields of a call's input as text for one row; empty where there is none. */
export interface CallFields<Field extends string = string> {
  text(field: Field): string;
  /** The first line, and how many follow. */
  firstLine(field: Field): string;
  /** A path, relative to the session's folder where it is below it. */
  path(field: Field): string;
  value(field: Field): unknown;
}
