/** Walks through the commands of a line and collects what covers each: proof, the mode, or a rule. */

import { findCommand, isBuiltin } from '../../programs/find-program.js';
import type { Rule } from '../../rules/rule.js';
import { assessPaths, foldersOf, type PathObjection } from '../assess-paths.js';
import { staysInside } from '../confined/assess-confined.js';
import { examineProgram, isHarmlessVariable } from '../examine-program.js';
import type { Finding } from '../finding.js';
import { readCommand } from '../reading/read-command.js';
import type { ShellAssignment, ShellCommand } from '../reading/shell-reading.js';
import { assessEdit, assessOutput, LineChanges } from './assess-edit.js';
import { coverByRule } from './cover-by-rule.js';
import { spellCommand, spellWords } from './known-values.js';
import type { LineAssessment, LineInput, Uncovered } from './line-assessment.js';
import { objectToQuietRepo, objectToRepo } from './repository-objections.js';
import { isHarmlessBuiltin, isHarmlessWord, isSteering } from './shell-around.js';

const DEEPEST = 8;

export class PartsWalk {
  readonly uncovered: Uncovered[] = [];
  readonly rules = new Set<Rule>();
  readonly by = new Set<string>();
  readonly changes = new LineChanges();
  /** What is fine around commands that a rule or the mode allows, but is not proven on its own. */
  readonly around: Uncovered[] = [];
  isRunner = false;
  edits = false;
  git = false;
  containers = false;
  /** Why the mode does not allow the command at hand as an edit. */
  private refusedEdit: string | undefined;
  programs: 'on' | 'off' = 'on';

  constructor(readonly input: LineInput) {}

  object(uncovered: Uncovered): void {
    this.uncovered.push(uncovered);
  }

  result(): LineAssessment {
    const { uncovered, isRunner, edits, git, programs, containers } = this;
    const changes = [...this.changes.paths];
    return { uncovered, rules: [...this.rules], isRunner, edits, changes, git, programs, containers, by: [...this.by] };
  }

  assess(command: ShellCommand, depth: number): void {
    const { input } = this;
    const objection = this.assessRedirects(command) ?? this.assessVariables(command);
    if (objection !== undefined) this.object(objection);
    if (command.words.length === 0) return;
    if (isHarmlessBuiltin(command, input.reading)) {
      const reason = `${command.words[0]?.value} changes how the shell works`;
      this.around.push({ part: command.text, reason, changes: true });
      return;
    }
    if (depth < DEEPEST && this.assessWrapped(command, depth)) return;
    this.assessProgram(spellCommand(command, input), command);
  }

  /** The files that its redirections read and write, whatever runs. */
  private assessRedirects(command: ShellCommand): Uncovered | undefined {
    const { input } = this;
    const objections = assessPaths({ ...command, words: [] }, NOTHING, input);
    const firm = objections.find(({ always }) => always);
    const [first] = firm === undefined ? objections : [firm];
    const everything = input.rules.find(({ matches }) => matches.kind === 'every');
    if (everything !== undefined && firm === undefined) {
      if (first !== undefined) this.rules.add(everything);
      for (const redirect of command.redirects) assessOutput(redirect, input, this.changes);
      const reason = objectToComputed(command, input);
      return reason === undefined ? undefined : { part: command.text, reason, changes: true, ...FIRM };
    }
    if (first !== undefined)
      return { part: command.text, reason: first.reason, changes: first.use === 'write', ...(firm && FIRM) };
    for (const redirect of command.redirects) {
      const reason = assessOutput(redirect, input, this.changes);
      if (reason !== undefined) return { part: command.text, reason, changes: true };
      if (redirect.kind !== 'write' && redirect.kind !== 'append') continue;
      if (!/^\/dev\/(?:null|stdout|stderr)$/.test(redirect.target.value ?? '')) this.edits = true;
    }
    return undefined;
  }

  private assessVariables({ assignments, words, text }: ShellCommand): Uncovered | undefined {
    const name = words[0]?.value;
    const describe = (set: ShellAssignment): Uncovered => {
      const reason = `it sets ${set.name} for ${name ?? 'the shell'}`;
      return { part: text, reason, changes: true };
    };
    const steering = assignments.find((one) => isSteering(one, name));
    if (steering !== undefined) return describe(steering);
    const unproven = assignments.find((assignment) => !isHarmlessVariable(assignment.name, assignment.value));
    if (unproven !== undefined) this.around.push(describe(unproven));
    return undefined;
  }

  /** True if it is a wrapper whose inner commands were assessed in its place. */
  private assessWrapped(command: ShellCommand, depth: number): boolean {
    const row = findCommand(command.words.map(({ value }) => value))?.row;
    if (typeof row?.wraps !== 'function' || row.privileged === true) return false;
    // A rule may name the wrapper together with what it runs.
    if (coverByRule(command, { ...NOTHING, problems: [] }, [], this.input, 'wrapper').ok) return false;
    if (row.runs !== undefined && coverByRule(command, NOTHING, [], this.input).ok) return false;
    if (this.isProvenWrapper(command)) return false;
    const wrapped = row.wraps(command.words);
    if (!wrapped.ok || (wrapped.commands.length === 0 && wrapped.texts.length === 0)) return false;
    if (row.wrapsByOption === true && !this.isFineItself(command)) return false;
    const steering = wrapped.sets.find((name) => isSteering({ name, raw: name, value: undefined }, undefined));
    if (steering !== undefined) this.object({ part: command.text, reason: `it sets ${steering}`, changes: true });
    const isPlainWrapper =
      /^(?:timeout|nice|ionice|nohup|stdbuf|time|env)$/.test(command.words[0]?.value ?? '') &&
      examineProgram(valuesOf(command), false).inner !== undefined;
    if (!isPlainWrapper) {
      const reason = `${command.words[0]?.raw} runs another program`;
      this.around.push({ part: command.text, reason, changes: true });
    }
    for (const words of wrapped.commands)
      this.assess({ words, assignments: [], redirects: [], text: command.text }, depth + 1);
    for (const text of wrapped.texts) this.assessText(text, command, depth);
    return true;
  }

  private isProvenWrapper({ words }: ShellCommand): boolean {
    const finding = examineProgram(
      words.map(({ value }) => value ?? ''),
      false,
    );
    return finding.reads && finding.problems.length === 0;
  }

  /** `find … -exec`: apart from what it runs, it only reads. */
  private isFineItself(command: ShellCommand): boolean {
    const values = command.words.map(({ value }) => value ?? '');
    const start = values.findIndex((value) => /^-(?:exec|ok)/.test(value));
    const own = start < 0 ? values : values.slice(0, start);
    const { reads, problems } = examineProgram(own, false);
    return reads && problems.length === 0;
  }

  /** A text for an inner shell is a line of its own. */
  private assessText(text: string, { text: part }: ShellCommand, depth: number): void {
    const reading = readCommand(text);
    const [doubt] = reading.parsed ? reading.evaluates : ['it could not be read in full'];
    if (doubt !== undefined)
      this.object({ part, reason: `the text for the inner shell is not plain: ${doubt}`, changes: true });
    const { cwds, policy } = this.input;
    const folders = cwds.flatMap((cwd) => foldersOf(reading.commands, cwd, policy.home) ?? [cwd]);
    const inner = new PartsWalk({ ...this.input, reading, cwds: [...new Set(folders)] });
    for (const command of reading.commands) inner.assess(command, depth + 1);
    this.uncovered.push(...inner.uncovered.map((one) => ({ ...one, part })));
    this.around.push(...inner.around.map((one) => ({ ...one, part })));
    for (const rule of inner.rules) this.rules.add(rule);
    for (const path of inner.changes.paths) this.changes.paths.add(path);
    this.isRunner ||= inner.isRunner;
    this.containers ||= inner.containers;
    this.edits ||= inner.edits;
    this.git ||= inner.git;
    if (inner.programs === 'off') this.programs = 'off';
  }

  /** `written`: without known values in place of variables. */
  private assessProgram(command: ShellCommand, written: ShellCommand): void {
    const { input } = this;
    const values = command.words.map(({ value }) => value ?? '');
    const finding = examineProgram(values, isInOwnWorktree(input));
    const isInOrder = values[0] === 'cd' && staysInside(input);
    const objections = isInOrder ? [] : assessPaths({ ...command, redirects: [] }, finding, input);
    const isLiteral = command.words.every((word) => isHarmlessWord(word, values[0] ?? ''));
    // What only reads runs with the programs of the repository off.
    const repo = objectToQuietRepo(finding, values, input);
    const isProven = finding.reads && finding.problems.length === 0 && finding.confinedOnly !== true && isLiteral;
    if (!isBuiltin(values[0] ?? '') && input.policy.isOfRoots?.(values[0] ?? '') === true) {
      this.object({
        part: command.text,
        reason: `${values[0]} is a program of the working folder here`,
        changes: true,
      });
      return;
    }
    const firm = objections.find(({ always, use }) => always && (use === 'write' || input.policy.box === undefined));
    if (firm !== undefined) {
      this.object({ part: command.text, reason: firm.reason, changes: true, firm: true });
      return;
    }
    if (isProven && objections.length === 0 && repo === undefined) {
      const outside = this.findForeign(values[0] ?? '');
      if (outside === undefined) {
        this.by.add('read-only check');
        // Where there is a sandbox and it does not fit, only a rule lets it run outside.
        const covered = input.policy.box === undefined ? undefined : coverByRule(command, finding, objections, input);
        if (covered?.ok === true) this.rules.add(covered.rule);
        return;
      }
      const covered = coverByRule(command, finding, objections, input);
      if (covered.ok) {
        this.rules.add(covered.rule);
        return;
      }
      const needsTrust = input.policy.trusted ? {} : ({ needsTrust: true } as const);
      this.object({ part: command.text, reason: outside, changes: false, ...needsTrust });
      return;
    }
    if (this.assessEdits(written, finding, objections, isLiteral)) return;
    const covered = coverByRule(command, finding, objections, input);
    if (covered.ok) {
      this.rules.add(covered.rule);
      this.isRunner ||= covered.isRunner;
      if (covered.programs === 'off') this.programs = 'off';
      this.containers ||= covered.containers;
      this.keepChanges(written);
      return;
    }
    const unread = isProven ? (repo ?? objections[0]?.reason) : undefined;
    const reason = unread ?? (covered.nearest === undefined ? this.refusedEdit : undefined) ?? covered.reason;
    const needsTrust = covered.needsTrust === true || (repo !== undefined && isProven);
    this.object({
      part: command.text,
      reason,
      changes: !isProven || repo !== undefined,
      ...(covered.nearest ? { nearest: covered.nearest } : {}),
      ...(needsTrust ? { needsTrust } : {}),
    });
  }

  /** Where nothing confines it, only a program of the system is known to be the one that is meant. */
  private findForeign(name: string): string | undefined {
    const { policy } = this.input;
    if (policy.isOfSystem === undefined || (policy.box !== undefined && policy.trusted)) return undefined;
    return isBuiltin(name) || policy.isOfSystem(name)
      ? undefined
      : `${name} is not a program of the system here, so what runs under that name is not known`;
  }

  /** True if the mode allows it as an edit. */
  private assessEdits(
    command: ShellCommand,
    finding: Finding,
    objections: readonly PathObjection[],
    isLiteral: boolean,
  ): boolean {
    const { policy } = this.input;
    this.refusedEdit = undefined;
    const isOwnGit = finding.edits === true && finding.repo === true && finding.problems.length === 0 && isLiteral;
    const isFork = policy.mode === 'bubble' || (policy.mode === 'default' && policy.worktree?.bubbles === true);
    if (isOwnGit && objections.length === 0 && (policy.mode === 'acceptEdits' || isFork)) {
      const values = command.words.map(({ value }) => value ?? '');
      const reason = objectToRepo(finding, values, this.input, 'off');
      if (reason === undefined) {
        this.edits = true;
        this.git = true;
        this.by.add('a change in its own worktree');
        return true;
      }
    }
    if (policy.mode !== 'acceptEdits') return false;
    const edit = assessEdit(command, this.input, this.changes);
    this.refusedEdit = edit?.ok === false ? edit.reason : undefined;
    if (edit?.ok !== true) return false;
    if (edit.git === true && objectToRepo({ ...finding, repo: true }, [], this.input, 'on') !== undefined) return false;
    this.edits = true;
    this.git ||= edit.git === true;
    this.by.add('mode acceptEdits');
    return true;
  }

  /** What a file command deletes or overwrites is kept, also if a rule allows it. */
  private keepChanges(command: ShellCommand): void {
    const changes = new LineChanges();
    if (assessEdit(command, this.input, changes)?.ok !== true) return;
    for (const path of changes.paths) this.changes.paths.add(path);
  }
}

/** Where an output leads that a rule for every command covers: not to a protected name, and not anywhere unprotected. */
function objectToComputed({ redirects }: ShellCommand, input: LineInput): string | undefined {
  for (const redirect of redirects) {
    if (redirect.kind !== 'write' && redirect.kind !== 'append') continue;
    const paths = spellWords([redirect.target], input)?.flat();
    if (paths === undefined && input.policy.box === undefined)
      return `where ${redirect.target.raw} leads is known only when it runs, and nothing here protects what must not change`;
    const [name] = (paths ?? []).flatMap((path) =>
      input.cwds.flatMap((cwd) => input.resolver.resolve(path, cwd).protectedName ?? []),
    );
    if (name !== undefined)
      return `${name} controls what runs or is allowed later, so every change to it needs a permission`;
  }
  return undefined;
}

const NOTHING: Finding = { reads: true, problems: [], paths: [] };
const FIRM = { firm: true } as const;

const valuesOf = ({ words }: ShellCommand) => words.map(({ value }) => value ?? '');

/** True if the whole line works in the agent's worktree, on its own branch, and in no repository nested there. */
function isInOwnWorktree({ policy: { worktree }, cwds, resolver }: LineInput): boolean {
  return worktree?.isOnBranch === true && cwds.every((cwd) => resolver.repositoryOf(cwd) === worktree.path);
}
