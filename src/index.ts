/** The library: sessions, tools of your own, events, and the types of everything they mention. */

export type { AgentResult, ChildFacts, EndedResult, FailureReason, WorktreeFacts } from './agents/run/result.js';
export type { Task } from './agents/tools/list-tasks.js';
export type { NoticeWay } from './config/settings/setting-shapes.js';
export type { SettingSource } from './config/settings/setting-sources.js';
export type { SnapshotState } from './context/memory/snapshots/judge-snapshot.js';
export type { FileDifference, MemoryDifference } from './context/memory/snapshots/memory-difference.js';
export type { MemoryDone } from './context/memory/snapshots/memory-lock.js';
export type { MemoryBackup } from './context/memory/snapshots/roll-back-memory.js';
export type { Client } from './engine/attach-client.js';
export type { StatusLineCommand, StatusLineRun, TerminalSize } from './engine/build/status-line-command.js';
export type {
  AgentWork,
  AskedAside,
  Branched,
  CalledTool,
  ChangedSettings,
  CommandResult,
  CommandResults,
  ContextUsed,
  Done,
  FileForClient,
  FoundFacts,
  ListedAgents,
  ListedFiles,
  ListedModels,
  ListedPlugins,
  ListedPrompts,
  ListedSkills,
  ListedStyles,
  PromptReport,
  ReadResource,
  Remembered,
  Reported,
  ReportedPrompts,
  ReportedWork,
  ResourceContent,
  RulesReported,
  SentHeld,
  ServersGiven,
  SettingsReported,
  ShownDiff,
  Signed,
  TakenBack,
  TaskOutput,
} from './engine/commands/command-results.js';
export type { SessionFacts } from './engine/commands/session-facts.js';
export type { SessionStatusLine } from './engine/engine-options.js';
export type {
  AccountReport,
  AgentReport,
  ContextReport,
  ListedTokens,
  MessageTokens,
  ModelReport,
  PluginReport,
  RuleReport,
  RulesReport,
  SettingsReport,
  SettingsSource,
  StyleReport,
  ToolTokens,
} from './engine/inspect/reports.js';
export type { TranscriptReader } from './engine/inspect/transcript-reader.js';
export type { UiSettings } from './engine/inspect/ui-settings.js';
export type { MemoryOptions } from './engine/open/folder-memory.js';
export type { PastSession } from './engine/past-session.js';
export type { OpenFailure, SessionOptions } from './engine/session-options.js';
export type { SkillReport } from './engine/skills/report-skills.js';
export type { IdleResult } from './engine/wait-until-idle.js';
export type { FeatureResults } from './features/features.js';
export type { MemoryResults } from './features/memory/commands.js';
export type { MemoryList, MemoryView, SnapshotView } from './features/memory/list-memory.js';
export type { Memory, MemoryBackups, MemoryChoice, OfMemory } from './features/memory/memory.js';
export type { MemoryFile } from './features/memory/memory-files.js';
export type { ShownMemory } from './features/memory/show-memory.js';
export type { WorktreeResults } from './features/worktrees/commands.js';
export type {
  ListedWorktrees,
  Named,
  RemovedWorktree,
} from './features/worktrees/repository-worktrees.js';
export type { LeftWorktree, SessionWorktree } from './features/worktrees/session-worktree.js';
export {
  type CommonDefinition,
  defineTool,
  type LooseToolDefinition,
  type ToolDefinition,
} from './front/sdk/define-tool.js';
export { openMemory } from './front/sdk/open-memory.js';
export { type AnswerQuestion, answerQuestions, CoppiceError, createSession } from './front/sdk/open-session.js';
export type { ForkOptions, RewindOptions, Session } from './front/sdk/session.js';
export type { AgentActivity, WaitView } from './front/view/agent-activity.js';
export type { AgentCalls, CallView } from './front/view/agent-calls.js';
export type { AgentQueue, QueuedInput } from './front/view/agent-queue.js';
export type { AgentUsage } from './front/view/agent-usage.js';
export type { AgentView, PastAgent, QuestionView } from './front/view/agent-view.js';
export type { Denial, Totals } from './front/view/session-view.js';
export {
  createView,
  type SessionView,
  type ShellView,
  type ViewFold,
  type ViewOptions,
} from './front/view/session-view.js';
export type { AgentSnapshot } from './front/view/snapshots.js';
export { Tally } from './front/view/tally.js';
export type {
  AgentHook,
  AnyHook,
  CommandHook,
  DeclaredHook,
  FunctionAnswer,
  FunctionHook,
  HookGroup,
  HooksConfig,
  HttpHook,
  McpToolHook,
  PromptHook,
} from './gate/hooks/hook-config.js';
export type * from './gate/hooks/hook-events.js';
export type { CommonInput, HookInput } from './gate/hooks/input.js';
export type { HookOutput } from './gate/hooks/output-schema.js';
export type * from './host/clock.js';
export type * from './host/environment.js';
export type * from './host/files.js';
export type * from './host/host.js';
export type { Locked } from './host/locks/with-lock.js';
export type * from './host/network.js';
export { nodeHost } from './host/node-host.js';
export type * from './host/processes.js';
export type { Applied, Change, Conflict } from './host/worktrees/apply-worktree.js';
export type { WorktreeList, WorktreeView } from './host/worktrees/list-worktrees.js';
export type { WorktreeOwner } from './host/worktrees/worktree-record.js';
export type { RunEnd } from './loop/run-loop.js';
export { buildBody } from './model/anthropic/body.js';
export type { BlockPosition, ModelFault } from './model/fault.js';
export type { FinishedBlock, FinishedSearch, ModelClient, ModelEvent, StopReason } from './model/model-client.js';
export type { ModelData, ModelOverrides, Prices } from './model/models.js';
export type { Prefix, PrefixTool } from './model/prefix.js';
export type { CredentialSource } from './model/provider.js';
export type { CacheLifetime, ModelRequest } from './model/request.js';
export type { SearchHit, SearchPart } from './model/search.js';
export type * from './protocol/action.js';
export type * from './protocol/agent-spawned.js';
export type * from './protocol/blocks.js';
export { text } from './protocol/blocks.js';
export type * from './protocol/commands.js';
export type * from './protocol/events.js';
export { type FrozenBlock, type FrozenMessage, freezeBlock, parseBlock } from './protocol/frozen-block.js';
export type { Breakpoint, HistoryView } from './protocol/history.js';
export type * from './protocol/mcp/elicitation.js';
export type * from './protocol/mcp/elicitation-form.js';
export type * from './protocol/mcp/server-report.js';
export { failed, succeeded, type ToolOutcome } from './protocol/outcome.js';
export type * from './protocol/permission.js';
export type { Failure, Failure as MemoryRefused, Result } from './protocol/result.js';
export type * from './protocol/tools/built-in-tools.js';
export type { Usage } from './protocol/usage.js';
export type { LeftFile } from './session/files/restore-paths.js';
export type { RewindRequest, Rewound } from './session/files/rewind.js';
export type { RecordedPrompt } from './session/state/agent-state.js';
export type { PromptHistoryFile } from './session/store/prompt-history.js';
export type { EventInForce, LastInForce } from './session/transcript/read-in-force.js';
export type { PositionedEvent, TranscriptPart } from './session/transcript/transcript-part.js';
export type { ReplayStatus } from './sim/recording/traffic-replay.js';
export type { FilesRead, FileVersion } from './tools/files-read.js';
export type { PathContext } from './tools/path-context.js';
export type * from './tools/tool.js';
export type { InputFields } from './tools/zod-tool.js';
