/** What each tool is called with, as hooks and permission questions see it: one closed union over the tools' names. */

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

export type ReadInput = {
  readonly file_path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly pages?: string | undefined;
};

export type WriteInput = { readonly file_path: string; readonly content: string };

export type EditInput = {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
};

export type NotebookEditInput = {
  readonly notebook_path: string;
  readonly cell_id?: string | undefined;
  readonly new_source: string;
  readonly cell_type?: 'code' | 'markdown' | undefined;
  readonly edit_mode?: 'replace' | 'insert' | 'delete' | undefined;
};

export type GlobInput = { readonly pattern: string; readonly path?: string | undefined };

export type GrepInput = {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly type?: string | undefined;
  readonly output_mode?: 'content' | 'files_with_matches' | 'count' | undefined;
  readonly '-A'?: number | undefined;
  readonly '-B'?: number | undefined;
  readonly '-C'?: number | undefined;
  readonly '-n'?: boolean | undefined;
  readonly '-i'?: boolean | undefined;
  readonly head_limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly multiline?: boolean | undefined;
};

export type TodoItem = {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm: string;
  readonly id?: string;
};

export type TodoWriteInput = {
  readonly todos: readonly (Pick<TodoItem, 'content' | 'status'> & {
    readonly activeForm?: string | undefined;
    readonly id?: string | undefined;
  })[];
};

export type WebFetchInput = { readonly url: string; readonly prompt?: string | undefined };

export type AgentInput = {
  readonly prompt: string;
  readonly description?: string | undefined;
  readonly subagent_type?: string | undefined;
  readonly fork?: boolean | undefined;
  readonly model?: string | undefined;
  readonly run_in_background?: boolean | undefined;
  readonly isolation?: 'worktree' | undefined;
  readonly name?: string | undefined;
  readonly cwd?: string | undefined;
  readonly max_turns?: number | undefined;
  readonly max_usd?: number | undefined;
};

export type SendMessageInput = { readonly to: string; readonly message: string };

export type TaskOutputInput = {
  readonly task_id: string;
  readonly block?: boolean | undefined;
  readonly timeout?: number | undefined;
};

export type TaskStopInput = { readonly task_id: string };

export type SkillInput = { readonly skill: string; readonly args?: string | undefined };

export type WebSearchInput = {
  readonly query: string;
  readonly allowed_domains?: readonly string[] | undefined;
  readonly blocked_domains?: readonly string[] | undefined;
};

export type ExitPlanModeInput = {
  readonly plan: string;
  /** Where the plan is kept; put in by us. */
  readonly planFilePath?: string | undefined;
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

/**
 * By tool. An interface, so that a program can add the tools it defines:
 * `declare module 'coppice' { interface ToolInputs { Weather: { city: string } } }`.
 */
export interface ToolInputs {
  readonly Bash: BashInput;
  readonly Read: ReadInput;
  readonly Write: WriteInput;
  readonly Edit: EditInput;
  readonly NotebookEdit: NotebookEditInput;
  readonly Glob: GlobInput;
  readonly Grep: GrepInput;
  readonly TodoWrite: TodoWriteInput;
  readonly WebFetch: WebFetchInput;
  readonly Agent: AgentInput;
  readonly SendMessage: SendMessageInput;
  readonly TaskOutput: TaskOutputInput;
  readonly TaskStop: TaskStopInput;
  readonly ListAgents: Readonly<Record<string, never>>;
  readonly Skill: SkillInput;
  readonly WebSearch: WebSearchInput;
  readonly ExitPlanMode: ExitPlanModeInput;
  readonly AskUserQuestion: AskUserQuestionInput;
}

/** The name of a server's tool: `mcp__server__tool`. */
export type ServerTool = `mcp__${string}`;

/** The input of a tool whose fields we don't know. */
export type OtherInput = Readonly<Record<string, unknown>>;

/** A tool and its input: `tool === 'Bash'` tells that `input.command` is there. */
export type NamedInput =
  | { readonly [T in keyof ToolInputs]: { readonly tool: T; readonly input: ToolInputs[T] } }[keyof ToolInputs]
  | { readonly tool: ServerTool; readonly input: OtherInput };

/** The input was parsed by the tool of that name, so that it has the shape that goes with it. */
export function namedInput(tool: string, input: unknown): NamedInput {
  return { tool, input } as NamedInput;
}
