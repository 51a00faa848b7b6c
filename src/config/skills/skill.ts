/** A skill, or a command (a skill in a single file), as parsed, with defaults filled in (EX-2, EX-3, EX-8). */

import type { EffortLevel } from '../../protocol/commands.js';
import type { DefinitionSource } from '../definitions/agent-definition.js';
import type { HooksSetting } from '../settings/setting-shapes.js';

export type Skill = {
  /** Its full name: `deploy`, `frontend:component`, `apps/web:deploy`, `plugin:name`. */
  readonly name: string;
  readonly kind: 'skill' | 'command';
  /** The display name, if the file gives another one. */
  readonly label?: string;
  /** From the front matter, or else the first paragraph. */
  readonly description: string;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Names of arguments, in order: `$name` in the text. */
  readonly argumentNames: readonly string[];
  /** False: only the user can run it. */
  readonly modelInvocable: boolean;
  /** False: the user can't type it. */
  readonly userInvocable: boolean;
  /** Rules as written, allowed for the turn. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  /** For this turn. */
  readonly model?: string;
  readonly effort?: EffortLevel;
  /** Runs in a child agent. */
  readonly context?: 'fork';
  /** The type of that child; general-purpose if omitted. */
  readonly agent?: string;
  /** The child runs in the background. */
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
