/** A list of sessions: name, last prompt, age, branch, interrupted agents; of this folder or of all (TU-25). */

import { coppiceHome, projectKey } from '../../../config/paths.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import type { Cancel } from '../../../host/clock.js';
import type { Host } from '../../../host/host.js';
import { age } from '../../../protocol/format-numbers.js';
import { listForPicker, type PickerSession } from '../../../session/store/picker/list-for-picker.js';
import { IndexedTranscript } from '../../../session/transcript/indexed-transcript.js';
import { readLastInForce } from '../../../session/transcript/read-in-force.js';
import { ItemFold } from '../../view/items/item-fold.js';
import type { Conversation } from '../app/conversation.js';
import type { Ui } from '../app/ui.js';
import { ListPage } from '../pages/list-page.js';
import { itemRows } from '../parts/item-rows.js';
import { clip } from '../screen/width.js';
import { makePageHost } from './page-host.js';

export type PickSessionOptions = {
  readonly ui: Ui;
  readonly host: Host;
  /** The folder whose sessions are listed first. */
  readonly folder: string;
  /** The current session, left out. */
  readonly without?: string;
  readonly signal?: AbortSignal;
};

const PREVIEW_BYTES = 16 * 1024;
/** While thousands are read, the list is refreshed at most this often. */
const REFRESH_MS = 100;

/** Undefined: none was chosen. */
export function pickSession({
  ui,
  host,
  folder,
  without,
  signal,
}: PickSessionOptions): Promise<PickerSession | undefined> {
  const pageHost = makePageHost(ui, host);
  const home = coppiceHome(host.env);
  const reading = new AbortController();
  let isAll = false;
  let sessions: readonly PickerSession[] = [];
  return new Promise((resolve) => {
    const end = (chosen: PickerSession | undefined) => {
      reading.abort();
      pageHost.close();
      resolve(chosen);
    };
    const page: ListPage<PickerSession> = new ListPage<PickerSession>({
      title: 'Resume a session',
      items: () => sessions,
      textOf: ({ id, details }) => `${details?.name ?? ''} ${details?.prompt ?? ''} ${details?.branch ?? ''} ${id}`,
      row: (session, width) => clip(describe(session, host.clock.now(), isAll), width),
      preview: (session, width) => lastRows(ui, host, session, width),
      choose: end,
      onCancel: () => end(undefined),
      keys: {
        'ctrl+a': {
          does: 'this folder or all',
          act: () => {
            isAll = !isAll;
            void load();
          },
        },
      },
      theme: ui.theme,
      pageHost,
    });
    const load = async () => {
      const options = { home, ...(isAll ? {} : { project: projectKey(folder) }) };
      const list = await listForPicker(host, options);
      sessions = list.sessions.filter(({ id }) => id !== without);
      page.refresh();
      const read = new Map<string, PickerSession>();
      const show = () => {
        cancel = undefined;
        sessions = sessions.map((one) => read.get(one.id) ?? one).filter(({ details }) => details?.isEmpty !== true);
        read.clear();
        if (!reading.signal.aborted) page.refresh();
      };
      let cancel: Cancel | undefined;
      await list.complete((one) => {
        read.set(one.id, one);
        cancel ??= host.clock.after(REFRESH_MS, show);
      }, reading.signal);
      cancel?.();
      show();
    };
    signal?.addEventListener('abort', () => end(undefined), { once: true });
    ui.pages.open(page);
    void load();
  });
}

/** `/resume`. */
export async function resumeAnotherSession({ ui, host, session, printer, switchTo }: Conversation): Promise<void> {
  const { id, cwd } = session;
  const picked = await pickSession({ ui, host, folder: cwd, without: id });
  if (picked === undefined) return;
  const reason = await switchTo(picked.id, 'other');
  if (reason !== undefined) printer.say('error', `Can't open the session: ${stripControls(reason)}`);
}

function describe({ id, lastActive, details }: PickerSession, now: number, isAll: boolean): string {
  const when = lastActive === 0 ? '?' : age(now - lastActive);
  if (details === undefined) return `${when} · ${id}`;
  const { name, prompt, branch, interrupted, damaged, cwd } = details;
  const parts = [
    when,
    ...(name === undefined ? [] : [name]),
    prompt === '' ? id : prompt,
    ...(branch === undefined ? [] : [branch]),
    ...(interrupted === 0 ? [] : [`${interrupted} interrupted`]),
    ...(damaged === undefined ? [] : [`damaged: ${damaged}`]),
    ...(isAll ? [cwd] : []),
  ];
  return stripToLine(parts.join(' · '));
}

async function lastRows(ui: Ui, host: Host, { path }: PickerSession, width: number): Promise<readonly string[]> {
  const { events } = await readLastInForce(new IndexedTranscript(host.files, path), PREVIEW_BYTES);
  const fold = new ItemFold();
  const items = events.flatMap(({ event }) => fold.take(event, undefined));
  const rows = await Promise.all(items.map((item) => itemRows(item, { width, theme: ui.theme, cwd: host.folder })));
  const all = rows.flat();
  return all.length === 0 ? [stripControls('no messages')] : all;
}
