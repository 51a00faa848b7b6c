/** The keys of the tree: their effect on the chosen line (TU-8). */

import { agentLabel } from '../../view/tree/agent-label.js';
import type { Task, TaskTree } from '../../view/tree/task-tree.js';
import type { NamedKey } from '../input/key-event.js';
import { LineEditor } from '../input/line-editor.js';
import type { TreeLines } from './tree-lines.js';

/** `agent`: the id of an agent, or of a background command (`view` and `stop` only). */
export type TreeAction =
  | { readonly kind: TreeVerb; readonly agent: string }
  | { readonly kind: 'compare'; readonly agents: readonly string[] }
  | { readonly kind: 'leave' };

type TreeVerb = 'view' | 'stop' | 'background' | 'resume' | 'write' | 'diff' | 'apply';

/** Time limit for the second `x`. */
const ARMED_MS = 3_000;

const VERBS: Readonly<Record<string, TreeVerb>> = {
  b: 'background',
  r: 'resume',
  m: 'write',
  d: 'diff',
  A: 'apply',
};

export class TreeKeys {
  readonly #tree: TaskTree;
  readonly #lines: TreeLines;
  #armed: { readonly id: string; readonly at: number } | undefined;
  /** The result of the last key, if it needs a message. */
  note = '';
  /** The filter, while it is typed. */
  filter: LineEditor | undefined;

  constructor(tree: TaskTree, lines: TreeLines) {
    this.#tree = tree;
    this.#lines = lines;
  }

  reset(): void {
    this.filter = undefined;
    this.#disarm();
  }

  expire(now: number): void {
    if (this.#armed !== undefined && now - this.#armed.at > ARMED_MS) this.#disarm();
  }

  /** A failure on the chosen line has been seen. */
  seeChosen(): void {
    const { chosen } = this.#lines;
    if (chosen?.kind === 'task') this.#tree.see(chosen.id);
  }

  /** `page`: the number of lines on the screen. */
  press(event: NamedKey, now: number, page: number): TreeAction | undefined {
    if (this.filter !== undefined) return this.#typeFilter(event, this.filter);
    const { name } = event;
    if (name === 'x') return this.#stop(now);
    this.#disarm();
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (verb !== undefined) return this.#act(verb);
    switch (name) {
      case 'enter':
        return this.#view();
      case '=':
        return this.#compare();
      case 'esc':
        return this.#leave();
      case '/':
        this.filter = new LineEditor(this.#lines.filter);
        return undefined;
      case 'space':
        this.#lines.mark();
        return undefined;
      default:
        this.#move(name, page);
        return undefined;
    }
  }

  #move(name: string, page: number): void {
    switch (name) {
      case 'up':
      case 'ctrl+p':
        this.#lines.move(-1);
        break;
      case 'down':
      case 'ctrl+n':
        this.#lines.move(1);
        break;
      case 'pageup':
        this.#lines.move(-page);
        break;
      case 'pagedown':
        this.#lines.move(page);
        break;
      case 'right':
        this.#lines.open();
        break;
      case 'left':
        this.#lines.close();
        break;
      default:
        return;
    }
    this.seeChosen();
  }

  #typeFilter(press: NamedKey, line: LineEditor): undefined {
    const { name } = press;
    if (name === 'enter' || name === 'esc') this.filter = undefined;
    else line.press(press);
    this.#lines.filter = name === 'esc' ? '' : line.text;
    return undefined;
  }

  #view(): TreeAction | undefined {
    const task = this.#lines.chosenTask;
    if (task !== undefined) return { kind: 'view', agent: task.id };
    this.#lines.open();
    return undefined;
  }

  #act(kind: TreeVerb): TreeAction | undefined {
    const task = this.#single();
    if (task === undefined) return undefined;
    if (task.kind === 'agent') return { kind, agent: task.id };
    this.note = 'command: enter view output, x stop';
    return undefined;
  }

  /** Only the second press stops, and only the task that the first one named. */
  #stop(now: number): TreeAction | undefined {
    const task = this.#single();
    if (task === undefined) return undefined;
    if (this.#armed?.id === task.id) {
      this.#disarm();
      return { kind: 'stop', agent: task.id };
    }
    this.#armed = { id: task.id, at: now };
    this.note = `x again to stop ${task.kind === 'agent' ? agentLabel(task.of) : 'this command'}`;
    return undefined;
  }

  #compare(): TreeAction | undefined {
    const agents = this.#lines.marked;
    if (agents.length > 1) return { kind: 'compare', agents };
    this.note = 'mark two or more with space, then =';
    return undefined;
  }

  #single(): Task | undefined {
    const task = this.#lines.chosenTask;
    if (task === undefined) this.note = 'open the group first (→)';
    return task;
  }

  #leave(): TreeAction | undefined {
    if (this.#lines.filter !== '') {
      this.#lines.filter = '';
      return undefined;
    }
    return { kind: 'leave' };
  }

  #disarm(): void {
    this.#armed = undefined;
    this.note = '';
  }
}
