/** Content of the status line: facts of the session, the branch, and the output of the user's command (TU-28, EX-22). */

import { openGit } from '../../../host/git/git.js';
import type { Host } from '../../../host/host.js';
import { ALIASES, type ModelOverrides, modelData } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { Session } from '../../sdk/session.js';
import type { StatusLineRunner } from '../../status-line/status-line-runner.js';
import { type SessionView, totalCost } from '../../view/session-view.js';
import { statusRows } from '../parts/status-rows.js';
import { wrap } from '../screen/width.js';
import { countRunningTasks } from './conversation.js';
import type { Ui } from './ui.js';

/** Rows of a message to the user. */
const MOST_MESSAGE_ROWS = 3;

export class Status {
  readonly #ui: Ui;
  readonly #session: Session;
  readonly #view: SessionView;
  readonly #host: Host;
  #branch: string | undefined;
  #own: StatusLineRunner | undefined;

  constructor(ui: Ui, session: Session, view: SessionView, host: Host) {
    this.#ui = ui;
    this.#session = session;
    this.#view = view;
    this.#host = host;
  }

  async start(): Promise<void> {
    this.refresh();
    if (this.#session.statusLine === undefined) return;
    const { StatusLineRunner } = await import('../../status-line/status-line-runner.js');
    const { columns, rows: lines } = this.#ui.screen.size;
    this.#own = new StatusLineRunner({
      session: this.#session,
      size: () => ({ columns, lines }),
      colours: this.#ui.hasColours,
      onChange: () => this.#ui.paint(),
    });
    this.#own.start();
  }

  /** Reads the branch again: something may have been committed or changed. */
  refresh(): void {
    void gitBranch(this.#host)
      .catch(() => undefined)
      .then((branch) => {
        this.#branch = branch;
        this.#ui.paint();
      });
  }

  rows(width: number, now: number, questions: number): readonly string[] {
    const { theme, note, keymap } = this.#ui;
    const message = note.at(now) || (keymap.pending === undefined ? '' : `${keymap.pending} …`);
    if (message !== '') return wrap(theme.warn(message), width).slice(0, MOST_MESSAGE_ROWS);
    const { model, models, mode } = this.#session;
    const main = this.#view.agents.get(MAIN_AGENT);
    const { context } = modelData(model, models);
    return statusRows(
      {
        model: shortModel(model, models),
        mode,
        contextShare: main === undefined || main.contextTokens === 0 ? undefined : main.contextTokens / context,
        cost: totalCost(this.#view.totals, models),
        branch: this.#branch,
        agents: countRunningTasks({ view: this.#view }),
        questions,
        ...(this.#own === undefined ? {} : { own: this.#own.lines }),
        hints: '? keys',
      },
      width,
      theme,
    );
  }

  async close(): Promise<void> {
    await this.#own?.close();
  }
}

/** The shortest name of this model. */
function shortModel(model: string, { aliases = {} }: ModelOverrides): string {
  const names = Object.entries({ ...ALIASES, ...aliases }).flatMap(([name, id]) => (id === model ? [name] : []));
  return names.sort((one, other) => one.length - other.length)[0] ?? model;
}

/** Undefined outside a repository. Runs none of the repository's own programs. */
async function gitBranch(host: Host): Promise<string | undefined> {
  const git = await openGit(host, host.folder, { trusted: false });
  const status = await git(['status', '--porcelain=v2', '--branch', '--untracked-files=no']);
  if (!status.ok) return undefined;
  const lines = status.text.split('\n');
  const head = readValue(lines, '# branch.head ');
  const commit = readValue(lines, '# branch.oid ')?.slice(0, 8);
  const name = head === '(detached)' ? commit : head;
  const isChanged = lines.some((line) => line !== '' && !line.startsWith('#'));
  return name === undefined ? undefined : `${name}${isChanged ? '*' : ''}`;
}

function readValue(lines: readonly string[], label: string): string | undefined {
  return lines.find((line) => line.startsWith(label))?.slice(label.length);
}
