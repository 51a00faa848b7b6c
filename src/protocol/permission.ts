/** Permission modes, decisions, questions and answers: the words the gate speaks in. */

import type { ElicitationForm } from './mcp/elicitation-form.js';
import type { UserQuestion } from './tools/ask-user-question.js';
import type { NamedInput } from './tools/built-in-tools.js';

export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'bubble'] as const;

export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** Rules about single tools, in the words of settings files. They narrow and never widen. */
export type ToolLimits = {
  /** A tool named here may be used only for what is named. */
  readonly only: readonly string[];
  readonly never: readonly string[];
};

/** What a rule does with the calls it is about. */
export type RuleBehavior = 'deny' | 'ask' | 'allow';

/** The gate's answer about one call. `by` names the rule, mode or check that decided. */
export type Decision =
  | {
      readonly behavior: 'allow';
      readonly by: string;
      /** How a command runs; absent: as it is, because a person or bypass allows it. */
      readonly run?: RunProfile;
    }
  | {
      readonly behavior: 'ask';
      readonly by: string;
      readonly reason: string;
      /** The person wants to be asked (a rule, a protected name, a way out of the sandbox): no hook's yes spares it. */
      readonly firm?: true;
      /** The parts of a command line that nothing covers: without them it would run. */
      readonly uncovered?: readonly { readonly part: string; readonly reason: string }[];
      /** The folder would have to be trusted: no rule of the settings helps. */
      readonly needsTrust?: true;
    }
  | { readonly behavior: 'deny'; readonly by: string; readonly reason: string };

/** What a command that no person allowed can reach (GT-35). Each kind is wider than the one before it. */
export type RunProfile =
  /** No rule is needed: it can only read, in the sandbox. `show`: real paths outside the roots that rules allow to be read. */
  | {
      readonly kind: 'reading';
      readonly show: readonly string[];
      /** What its programs can't see there, although their answer is about it: "processes outside the sandbox". */
      readonly blindTo?: readonly string[];
      /** Only git runs, and needs all of its repository: what lies beyond the roots, and all its objects. */
      readonly wholeGit?: true;
    }
  /** It edits files in the roots, as the mode allows, in the sandbox. */
  | ({ readonly kind: 'working'; readonly show: readonly string[] } & Changes)
  /** A rule allows it: it can do all but change what is protected. */
  | ({
      readonly kind: 'ruled';
      /** `off`: the programs of the repositories it works in stay off. */
      readonly programs: 'on' | 'off';
      /** The rule names a program that starts containers: it may reach them. */
      readonly containers?: true;
    } & Changes)
  /**
   * There is no sandbox: its text proves that it only reads, or edits as the mode allows. Programs that it could start on
   * the way stay off. `refresh`: folders of trusted repositories whose index is refreshed first, because git must not write it.
   */
  | ({ readonly kind: 'proven'; readonly refresh: readonly string[] } & Changes);

/** What may be stored of the files that commands change. Entries of any kind count as files. */
export const BACKUP_LIMITS = { commandBytes: 50_000_000, commandFiles: 2_000, sessionBytes: 500_000_000 } as const;

export type Changes = {
  /** Real paths of what it may delete or overwrite: kept first, for rewinding. */
  readonly changes: readonly string[];
  /** It stores files in git: the index and the objects may be written, and the index is kept too. */
  readonly git?: true;
};

/** Common to all questions: who asks, for what exactly, and why it is not simply allowed. */
export type QuestionBase = {
  readonly id: string;
  readonly agent: {
    readonly id: string;
    readonly type: string;
    readonly depth: number;
    readonly name?: string;
    /** What it was started for, in a few words. */
    readonly task?: string;
    /** The worktree it works in. */
    readonly worktree?: { readonly name: string; readonly path: string; readonly branch: string };
  };
  readonly call: { readonly id: string } & NamedInput;
  readonly cwd: string;
  readonly reason: string;
  /** What it would destroy, for people; empty when nothing stands out. */
  readonly destroys: readonly string[];
  /** What "always" can mean here, narrowest first. Each would have let this very call through. */
  readonly offers: readonly PermissionOffer[];
  /** How many other agents wait with the same question; filled in when it is put to a handler. */
  readonly alike?: number;
};

/** Fields of one kind are absent from the others: a handler may test `question.plan` without a look at `about`. */
export type QuestionOf<Own extends { readonly about?: string | undefined }> = QuestionBase &
  Own & { readonly [Field in Exclude<'elicitation' | 'plan' | 'questions', keyof Own>]?: undefined };

/** May this call run? Allowed: `updatedInput` is the input as it was changed. Denied: `reason` goes to the model. */
export type CallQuestion = QuestionOf<{ readonly about?: undefined }>;

/** May agents change files without asking for each change? Allowed: in this session. Denied: each change is asked for. */
export type AgentsEditQuestion = QuestionOf<{ readonly about: 'agents-edit' }>;

/** Use the team's notes for an agent type? `reason` is the question. */
export type MemorySnapshotQuestion = QuestionOf<{ readonly about: 'memory-snapshot' }>;

/** May a skill have what it asks for? `reason`: the question, then a line for each grant. */
export type SkillGrantsQuestion = QuestionOf<{ readonly about: 'skill-grants' }>;

/** A server asks. Allowed: `updatedInput` is the content of its form. Denied: declined, or cancelled with `cancel`. */
export type ElicitationQuestion = QuestionOf<{ readonly about: 'elicitation'; readonly elicitation: ElicitationForm }>;

/**
 * Accept a plan and end plan mode? Allowed: edits are asked about, unless the offered mode is chosen; `updatedInput.plan`
 * is the plan as it was changed. Denied: planning continues with `reason`.
 */
export type PlanQuestion = QuestionOf<{
  readonly about: 'plan';
  /** `file`: where it is saved. */
  readonly plan: { readonly text: string; readonly file: string };
}>;

/** The model asks one to four questions. Allowed: `updatedInput.answers` has the answers by question. */
export type UserQuestionsQuestion = QuestionOf<{
  readonly about: 'questions';
  readonly questions: readonly UserQuestion[];
}>;

/**
 * A question, by kind. `about` is the only discriminant: handlers have always read it, and a call has none, so a second
 * field would repeat it.
 */
export type PermissionQuestion =
  | CallQuestion
  | AgentsEditQuestion
  | MemorySnapshotQuestion
  | SkillGrantsQuestion
  | ElicitationQuestion
  | PlanQuestion
  | UserQuestionsQuestion;

export type PermissionOffer =
  | {
      readonly kind: 'rule';
      /** As in a settings file: `Bash(npm test)`, `Bash(npm test:*)`. */
      readonly rule: string;
      /** Where it can be kept: for this session, or in the project's local settings. */
      readonly where: readonly ('session' | 'local')[];
    }
  /** The session, and the agent that asks, go on in this mode. */
  | { readonly kind: 'mode'; readonly mode: 'acceptEdits' }
  /** Agents may change files in later sessions, too: kept in the person's own settings. */
  | { readonly kind: 'agents-edit'; readonly file: string };

/** One of the offers, as chosen. */
export type PermissionChoice =
  | { readonly kind: 'rule'; readonly rule: string; readonly where: 'session' | 'local' }
  | { readonly kind: 'mode'; readonly mode: 'acceptEdits' }
  | { readonly kind: 'agents-edit' };

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: unknown;
      /** From now on, too. What was not offered is not kept. */
      readonly always?: readonly PermissionChoice[];
      /** Also for the others that wait with the same question. */
      readonly together?: boolean;
    }
  | {
      readonly behavior: 'deny';
      readonly reason?: string;
      /** End the run as well. */
      readonly interrupt?: boolean;
      /** To a server's question: neither yes nor no. */
      readonly cancel?: boolean;
      readonly together?: boolean;
    };

/** The same call in the same folder: the answer to one is an answer to all. */
export function isAlike(a: PermissionQuestion, b: PermissionQuestion): boolean {
  return (
    a.call.tool === b.call.tool && a.cwd === b.cwd && JSON.stringify(a.call.input) === JSON.stringify(b.call.input)
  );
}

/** Whether an answer also settles the other open questions that are alike. */
export function answersAlike(answer: PermissionAnswer): boolean {
  return answer.together === true || (answer.behavior === 'allow' && (answer.always?.length ?? 0) > 0);
}

/** Must settle when the signal aborts; what it returns then is ignored. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
