/** The result of each command. None rejects: a failure is in the result. */

import type { AgentResult } from '../../agents/run/result.js';
import type { FeatureResults } from '../../features/features.js';
import type { Named } from '../../features/worktrees/repository-worktrees.js';
import type { RunEnd } from '../../loop/run-loop.js';
import type { ResultContent, UserBlock } from '../../protocol/blocks.js';
import type { Command } from '../../protocol/commands.js';
import type { ServerPrompt, ServerReport, SetServersResult } from '../../protocol/mcp/server-report.js';
import type { Result } from '../../protocol/result.js';
import type { Rewound } from '../../session/files/rewind.js';
import type {
  AccountReport,
  AgentReport,
  ContextReport,
  ModelReport,
  PluginReport,
  RulesReport,
  SettingsReport,
  StyleReport,
} from '../inspect/reports.js';
import type { SkillReport } from '../skills/report-skills.js';
import type { SessionFacts } from './session-facts.js';

/** Done, or the reason why not. */
export type Done = Result;

/** `session`: the id of the copy. */
export type Branched = Result<{ readonly session: string }>;

export type Reported = Result<{ readonly servers: readonly ServerReport[] }>;

export type ServersGiven = Result<SetServersResult>;

/** `contents`: as the server sent them, text and base64. */
export type ReadResource = Result<{ readonly contents: readonly ResourceContent[] }>;

export type ResourceContent = { readonly uri: string } & Readonly<Record<string, unknown>>;

export type ListedPrompts = Result<{ readonly prompts: readonly ServerPrompt[] }>;

export type ListedSkills = Result<{ readonly skills: readonly SkillReport[] }>;

export type ListedAgents = Result<{ readonly agents: readonly AgentReport[] }>;

/** `added` and `removed`: changes in the settings since the start; they apply from the next start on. */
export type ListedPlugins = Result<{
  readonly plugins: readonly PluginReport[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}>;

/** `now`: the name of the current one. */
export type ListedStyles = Result<{ readonly now: string; readonly styles: readonly StyleReport[] }>;

export type ListedModels = Result<{ readonly models: readonly ModelReport[] }>;

export type Signed = Result<{ readonly account: AccountReport }>;

export type ContextUsed = Result<{ readonly context: ContextReport }>;

export type SettingsReported = Result<{ readonly settings: SettingsReport }>;

/** `applied`: takes effect at once; `later`: at the next start, or when the conversation is cleared. */
export type ChangedSettings = Result<{ readonly applied: readonly string[]; readonly later: readonly string[] }>;

export type RulesReported = Result<{ readonly rules: RulesReport }>;

/** `bytes`: of the whole output; `isCut`: `output` is only its end. */
export type TaskOutput = Result<{
  readonly status: string;
  readonly output: string;
  readonly bytes: number;
  readonly isCut: boolean;
}>;

/** `path`: links resolved. `isExact`: false if the text is lossy, because the file is not UTF-8. */
export type FileForClient = Result<{
  readonly path: string;
  readonly content: string;
  readonly isCut: boolean;
  readonly isExact: boolean;
}>;

export type FoundFacts = Result<{ readonly facts: SessionFacts }>;

/** `ok` is false if the call was not even tried. A failure that the tool reports is content. */
export type CalledTool = Result<{ readonly isError: boolean; readonly content: readonly ResultContent[] }>;

/** `diff`: as git writes it, with invalid UTF-8 replaced. `name`: the worktree it is of. */
export type ShownDiff = Named<Result<{ readonly diff: string; readonly notes: readonly string[] }>>;

/** `result`: its final result, if it has ended. `files`: changed by tools, outside its worktree if it has one. */
export type AgentWork = {
  readonly agent: string;
  readonly result?: string;
  readonly files: readonly string[];
  readonly worktree?: string;
};

export type ReportedWork = Result<{ readonly work: readonly AgentWork[] }>;

/** In the order they were sent. `at`: milliseconds since 1970. `files`, `agents`: changed and started since then. */
export type PromptReport = {
  readonly words: string;
  readonly at?: number;
  readonly files: readonly string[];
  readonly agents: readonly string[];
};

export type ReportedPrompts = Result<{ readonly now: number; readonly prompts: readonly PromptReport[] }>;

/** `file`: the one that contains the line now. */
export type Remembered = Result<{ readonly file: string }>;

/** `files`: relative to the session's folder. `isCut`: there are more. */
export type ListedFiles = Result<{ readonly files: readonly string[]; readonly isCut: boolean }>;

/** `content`: the message to edit, without what was added to it. */
export type TakenBack = Result<{ readonly content: readonly UserBlock[] }>;

/** `sent`: the number of messages. */
export type SentHeld = Result<{ readonly sent: number }>;

/** `costUsd`: undefined for a model without a price. */
export type AskedAside = Result<{ readonly text: string; readonly agent: string; readonly costUsd?: number }>;

export type CommandResults = FeatureResults & {
  readonly prompt: RunEnd;
  readonly 'take-back': TakenBack;
  readonly 'send-held': SentHeld;
  readonly 'ask-aside': AskedAside;
  readonly 'take-over': Done;
  readonly 'hand-back': Done;
  readonly message: Done;
  readonly answer: Done;
  readonly interrupt: Done;
  readonly 'set-mode': Done;
  readonly 'set-model': Done;
  readonly 'set-thinking': Done;
  /** `async_launched` if it was requested in the background. */
  readonly fork: AgentResult;
  readonly 'resume-agent': Done;
  readonly 'stop-task': Done;
  readonly 'to-background': { readonly ok: true; readonly moved: number };
  readonly rewind: Rewound;
  readonly prompts: ReportedPrompts;
  readonly rename: Done;
  readonly compact: Done;
  readonly clear: Done;
  readonly branch: Branched;
  readonly diff: ShownDiff;
  readonly 'agent-work': ReportedWork;
  readonly servers: Reported;
  readonly 'reconnect-servers': Reported;
  readonly 'toggle-server': Reported;
  readonly 'set-servers': ServersGiven;
  readonly 'read-resource': ReadResource;
  readonly 'server-prompts': ListedPrompts;
  readonly skills: ListedSkills;
  readonly agents: ListedAgents;
  readonly plugins: ListedPlugins;
  readonly 'output-styles': ListedStyles;
  readonly models: ListedModels;
  readonly account: Signed;
  readonly context: ContextUsed;
  readonly settings: SettingsReported;
  readonly 'change-settings': ChangedSettings;
  readonly 'permission-rules': RulesReported;
  readonly 'task-output': TaskOutput;
  readonly 'read-file': FileForClient;
  readonly facts: FoundFacts;
  readonly 'call-tool': CalledTool;
  readonly 'cancel-call': Done;
  readonly shell: CalledTool;
  readonly remember: Remembered;
  readonly 'list-files': ListedFiles;
  readonly notify: Done;
  readonly close: Done;
};

export type CommandResult<C extends Command> = CommandResults[C['type']];
