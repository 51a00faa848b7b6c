/** What each tool answers, as PostToolUse hooks read it in `tool_response`. Existing scripts rely on these names. */

import type { ResultContent } from './blocks.js';
import type { TodoItem, UserQuestion } from './tool-inputs.js';

export type BashResponse = {
  /** What it wrote to both streams, in its order, as the model reads it: of a long output the beginning and the end. */
  readonly stdout: string;
  /** Always empty. */
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly isImage: boolean;
  /** It goes on in the background, under this id. */
  readonly backgroundTaskId?: string;
};

export type ReadResponse =
  | {
      readonly type: 'text';
      readonly file: {
        readonly filePath: string;
        /** Only the lines that were read. */
        readonly content: string;
        readonly numLines: number;
        readonly startLine: number;
        readonly totalLines: number;
      };
    }
  | {
      readonly type: 'image';
      readonly file: {
        readonly filePath: string;
        readonly base64: string;
        readonly type: string;
        readonly originalSize: number;
      };
    }
  | {
      readonly type: 'pdf';
      readonly file: { readonly filePath: string; readonly base64: string; readonly originalSize: number };
    }
  | { readonly type: 'notebook'; readonly file: { readonly filePath: string; readonly cells: readonly unknown[] } };

/** A piece of a diff; its lines begin with a space, `+` or `-`. */
export type PatchHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
};

/** What Write and Edit have in common. Of a file over a million bytes neither what it held nor the difference. */
export type FileChangeResponse = {
  readonly filePath: string;
  readonly success: true;
  /** Null: there was none, or it is too long. */
  readonly originalFile: string | null;
  readonly structuredPatch: readonly PatchHunk[];
};

export type WriteResponse = FileChangeResponse & { readonly type: 'create' | 'update'; readonly content: string };

export type EditResponse = FileChangeResponse & {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
  /** Always false: what is asked about is what is written. */
  readonly userModified: boolean;
};

export type NotebookEditResponse = {
  readonly notebook_path: string;
  readonly cell_id?: string;
  readonly cell_type?: string;
  readonly new_source: string;
  readonly edit_mode: 'replace' | 'insert' | 'delete';
  readonly language: string;
  readonly error: string;
};

export type GlobResponse = {
  /** Absolute, newest first. */
  readonly filenames: readonly string[];
  readonly numFiles: number;
  readonly truncated: boolean;
  readonly durationMs: number;
};

export type GrepResponse = {
  readonly mode: 'content' | 'files_with_matches' | 'count';
  /** Absolute; only in the mode `files_with_matches`. */
  readonly filenames: readonly string[];
  readonly numFiles: number;
  /** In the other modes: the lines found. */
  readonly content?: string;
  readonly numLines?: number;
  /** In the mode `count`. */
  readonly numMatches?: number;
};

export type TodoWriteResponse = { readonly oldTodos: readonly TodoItem[]; readonly newTodos: readonly TodoItem[] };

export type WebFetchResponse = {
  readonly url: string;
  readonly code: number;
  readonly codeText: string;
  readonly bytes: number;
  readonly result: string;
  readonly durationMs: number;
};

/** Where a child works, or has worked, that has a worktree of its own. */
export type WorktreeResponse = {
  readonly worktreePath?: string;
  readonly worktreeBranch?: string;
  /** Only these were checked out. */
  readonly usedSparsePaths?: readonly string[];
};

export type AgentResponse =
  | (WorktreeResponse & {
      readonly status: 'completed';
      readonly agentId: string;
      readonly agentType: string;
      readonly prompt: string;
      readonly content: readonly ResultContent[];
      readonly totalToolUseCount: number;
      readonly totalDurationMs: number;
      readonly totalTokens: number;
      readonly usage: {
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly cache_read_input_tokens: number;
        readonly cache_creation_input_tokens: number;
      };
    })
  | (WorktreeResponse & {
      readonly status: 'async_launched';
      readonly isAsync: true;
      readonly agentId: string;
      readonly agentType: string;
      readonly description: string;
      readonly prompt: string;
      readonly outputFile: string;
    });

export type SkillResponse = { readonly success: true; readonly commandName: string };

export type WebSearchResponse = {
  readonly query: string;
  /** What was found, or what the provider said between. */
  readonly results: readonly (
    | { readonly tool_use_id: string; readonly content: readonly { readonly title: string; readonly url: string }[] }
    | string
  )[];
  readonly durationSeconds: number;
};

export type ExitPlanModeResponse = {
  readonly plan: string;
  readonly isAgent: boolean;
  readonly filePath?: string;
  readonly planWasEdited?: true;
};

export type AskUserQuestionResponse = {
  readonly questions: readonly UserQuestion[];
  /** Labels joined by ", "; own text for "Other". */
  readonly answers: Readonly<Record<string, string>>;
  /** A free reply in place of answers. */
  readonly response?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
};

/** By tool. A tool that is not here answers with the blocks of its result. */
export interface ToolResponses {
  readonly Bash: BashResponse;
  readonly Read: ReadResponse;
  readonly Write: WriteResponse;
  readonly Edit: EditResponse;
  readonly NotebookEdit: NotebookEditResponse;
  readonly Glob: GlobResponse;
  readonly Grep: GrepResponse;
  readonly TodoWrite: TodoWriteResponse;
  readonly WebFetch: WebFetchResponse;
  readonly Agent: AgentResponse;
  readonly Skill: SkillResponse;
  readonly WebSearch: WebSearchResponse;
  readonly ExitPlanMode: ExitPlanModeResponse;
  readonly AskUserQuestion: AskUserQuestionResponse;
}

export type ResponseOf<T> = T extends keyof ToolResponses ? ToolResponses[T] : readonly ResultContent[];
