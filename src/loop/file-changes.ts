/** The files that one call changes: stored before it for a rewind, and recorded after it, or after its background command. */

import type { Changes } from '../protocol/permission.js';
import type { Result } from '../protocol/result.js';
import type { BackgroundCommand } from '../tools/tool.js';
import type { ParsedCall } from './parse-call.js';
import type { ChangedFiles } from './ports.js';
import type { Run } from './run.js';

export class FileChanges {
  readonly #run: Run;
  readonly #call: string;
  /** Undefined if it changes none. */
  readonly #changed: ChangedFiles | undefined;
  #isFollowed = false;

  constructor(run: Run, call: string, permitted: ParsedCall) {
    this.#run = run;
    this.#call = call;
    this.#changed = filesChanged(permitted);
  }

  /** If it fails, the call must not run. `notes` are for its result. */
  async backUp(): Promise<Result<{ readonly notes: readonly string[] }>> {
    const { agent, ports } = this.#run;
    const saved = this.#changed && (await ports.backUpFiles?.(agent, this.#call, this.#changed));
    if (saved?.ok === false) return saved;
    const skipped = saved?.skipped ?? [];
    return { ok: true, notes: skipped.length === 0 ? [] : [`(a rewind can't restore ${skipped.join(', ')})`] };
  }

  /** A command that continues in the background is recorded when it ends. */
  following(command: BackgroundCommand): BackgroundCommand {
    if (this.#changed?.byCommand === undefined) return command;
    this.#isFollowed = true;
    return {
      ...command,
      finish: async (exit) => {
        try {
          return (await command.finish?.(exit)) ?? [];
        } finally {
          await this.#note();
        }
      },
    };
  }

  /** Call when the tool has ended. */
  async noteEnd(): Promise<void> {
    if (!this.#isFollowed) await this.#note();
  }

  async #note(): Promise<void> {
    const { agent, ports } = this.#run;
    if (this.#changed !== undefined) await ports.noteFiles?.(agent, this.#call, this.#changed);
  }
}

function filesChanged({ call, judged, permitted }: ParsedCall): ChangedFiles | undefined {
  const paths = call.actions.flatMap((action) => (action.kind === 'edit' ? [action.path] : []));
  const edited = [...new Set(paths.map((path) => judged?.get(path) ?? path))];
  const byCommand = changesOf(permitted?.run);
  if (edited.length === 0 && byCommand === undefined) return undefined;
  return { edited, ...(byCommand === undefined ? {} : { byCommand }) };
}

function changesOf(run: NonNullable<ParsedCall['permitted']>['run']): Changes | undefined {
  if (run === undefined || run.kind === 'reading') return undefined;
  return run.changes.length > 0 || run.git ? run : undefined;
}
