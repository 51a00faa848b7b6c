/** Runs sessions at the terminal, one after another: trust, opening, the conversation, leaving. */

import { worktreeFolder } from '../../../engine/open/enter-worktree.js';
import type { Host } from '../../../host/host.js';
import { openSession } from '../../sdk/open-session.js';
import type { Session } from '../../sdk/session.js';
import type { OpeningStage } from '../../tui/app/opening-stage.js';
import { runConversation } from '../../tui/app/run-conversation.js';
import type { Ui } from '../../tui/app/ui.js';
import { useUserKeys } from '../../tui/app/user-keys.js';
import { pickSession } from '../../tui/open/pick-session.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { askTrust } from '../interactive/ask-trust.js';
import { askAboutWorktree } from '../interactive/ask-worktree.js';
import { describeLeaving, runningAgents } from '../interactive/describe-leaving.js';
import type { LinesRead, LinesShown } from '../interactive/lines.js';
import { openNext } from '../interactive/open-next.js';
import { optionsFromFlags } from '../options-from-flags.js';
import { replayProblem } from '../replay-problem.js';
import type { Leaving } from './leaving.js';

export type RunSessions = {
  readonly ui: Ui;
  readonly opening: OpeningStage;
  readonly flags: Flags;
  readonly leaving: Leaving;
  readonly host: Host;
  /** Called with each session before its conversation begins. */
  readonly onSession?: ((session: Session) => void) | undefined;
};

export async function runSessions({ ui, opening, flags, leaving, host, onSession }: RunSessions): Promise<number> {
  const { signal } = leaving;
  const lines = linesOf(ui);
  void useUserKeys(ui, host);
  await askTrust({ host, flags, ...lines, paint: ui.theme, signal });
  if (signal.aborted) return leaving.code;
  const resume = flags.resume === true ? await pickAtStart(ui, host, flags, signal) : undefined;
  if (flags.resume === true && resume === undefined) return leaving.code;
  const given = { ...optionsFromFlags(flags), interactive: true };
  const opened = await openSession({ ...given, ...(resume === undefined ? {} : { resume }) });
  if (!opened.ok) {
    ui.stop();
    return explainOpenFailure(opened);
  }
  for (let { session } = opened; ; ) {
    leaving.session = session;
    onSession?.(session);
    const openOther = (id: string, as: 'copy' | 'other') => openNext(given, session, id, as);
    const other: Session | undefined = await runConversation({
      ui,
      session,
      host: host.at(session.cwd),
      takePrompts: () => opening.prompts.splice(0),
      signal,
      leave: leaving.leave,
      openOther,
    });
    const interrupted = runningAgents(session);
    await session.close('prompt_input_exit');
    if (other === undefined) return endSession({ ui, leaving, session, lines }, describeLeaving(session, interrupted));
    session = other;
  }
}

/** Prints the end of a session below the screen, and asks about its worktree. */
async function endSession(
  {
    ui,
    leaving,
    session,
    lines,
  }: { ui: Ui; leaving: Leaving; session: Session; lines: { screen: LinesShown; input: LinesRead } },
  last: readonly string[],
): Promise<number> {
  for (const line of last) ui.say(line);
  const wrong = await replayProblem(session);
  if (wrong !== undefined) ui.say(wrong);
  const unasked = leaving.code !== EXIT.done;
  await askAboutWorktree({ worktree: session.worktree, ...lines, unasked, signal: leaving.asAgain() });
  return leaving.code === EXIT.done && wrong !== undefined ? EXIT.error : leaving.code;
}

/** Adapts the terminal for questions that are asked line by line. */
function linesOf(ui: Ui): { readonly screen: LinesShown; readonly input: LinesRead } {
  return {
    screen: { line: (text) => ui.say(text) },
    input: { read: ({ prompt, signal }) => ui.ask(prompt, signal) },
  };
}

/** Undefined if none was chosen. */
async function pickAtStart(ui: Ui, host: Host, { worktree }: Flags, signal: AbortSignal): Promise<string | undefined> {
  const place = typeof worktree === 'string' ? await worktreeFolder(host, worktree) : undefined;
  // Opening the session reports any problem.
  if (place?.ok === false) return 'latest';
  const folder = place?.path ?? (await host.files.realpath(host.folder));
  return (await pickSession({ ui, host, folder, signal }))?.id;
}
