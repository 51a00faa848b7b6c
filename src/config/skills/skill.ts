/** A skill, or a command, which is a skill in one file: as parsed, with defaults filled in (EX-2, EX-3, EX-8). */

import type { DefinitionSource } from '../definitions/agent-definition.js';
import type { EffortLevel, HooksSetting } from '../settings/setting-shapes.js';

export type Skill = {
  /** What it is called by: `deploy`, `frontend:component`, `apps/web:deploy`, `plugin:name`. */
  readonly name: string;
  readonly kind: 'skill' | 'command';
  /** A label for people, if the file gives another name. */
  readonly label?: string;
  /** Of the front matter, or else the first paragraph. */
  readonly description: string;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Names of arguments, in order: `$name` in the text. */
  readonly argumentNames: readonly string[];
  /** False: only the person may use it. */
  readonly modelInvocable: boolean;
  /** False: it can't be typed. */
  readonly userInvocable: boolean;
  /** Rules as they are written: allowed for the turn. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  /** For this turn. */
  readonly model?: string;
  readonly effort?: EffortLevel;
  /** It runs in a child. */
  readonly context?: 'fork';
  /** The kind of that child; general-purpose if omitted. */
  readonly agent?: string;
  /** That child is not waited for. */
  readonly background: boolean;
  readonly hooks?: HooksSetting;
  /** Listed once a file that matches one of these is touched. */
  readonly paths: readonly string[];
  readonly shell?: string;
  /** The text, with its placeholders. May be read on first use. */
  readonly prompt: string;
  /** The folder of its file, links resolved: `${CLAUDE_SKILL_DIR}`. */
  readonly folder: string;
  readonly source: DefinitionSource;
};
