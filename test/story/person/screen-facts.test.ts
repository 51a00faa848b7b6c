/** What a screen asks a session for: files to complete, how it is to look, the hooks of a notice, transcripts. */

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { eventsOf, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd });

it('TU-20: files of a checkout without those that git ignores, below the folder; renewed when asked', async () => {
  const stage = await setStage();
  git(stage.folder, 'init', '-q');
  await stage.write('.gitignore', 'dist/\n');
  await stage.write('src/a b.ts', '');
  await stage.write('dist/out.js', '');
  git(stage.folder, 'add', '.');
  await stage.write('new.ts', '');
  const session = await stage.open();
  const list = async (fresh?: boolean) => {
    const listed = await session.execute({ type: 'list-files', ...(fresh === undefined ? {} : { fresh }) });
    return listed.ok ? [...listed.files].sort() : listed.reason;
  };
  expect(await list()).toEqual(['.gitignore', 'new.ts', 'src/a b.ts']);
  await stage.write('src/newer.ts', '');
  expect(await list()).not.toContain('src/newer.ts');
  expect(await list(true)).toContain('src/newer.ts');
  expect(await list()).toContain('src/newer.ts');
});

it('TU-20: files of a folder without git', async () => {
  const stage = await setStage();
  await stage.write('a/b.txt', '');
  const session = await stage.open();
  expect(await session.execute({ type: 'list-files' })).toEqual({ ok: true, files: ['a/b.txt'], isCut: false });
});

it('TU-26: the hooks of Notification get message, title and kind; the kind is what a matcher is about', async () => {
  const stage = await setStage();
  const seen: unknown[] = [];
  const note = (input: unknown) => void seen.push(input);
  const hooks = { Notification: [{ matcher: 'permission_prompt', hooks: [note] }] };
  const session = await stage.open({ hooks });
  const told = { type: 'notify', message: 'Bash asks', title: 'Coppice' } as const;
  expect(await session.execute({ ...told, about: 'idle_prompt' })).toEqual({ ok: true });
  expect(seen).toEqual([]);
  expect(await session.execute({ ...told, about: 'permission_prompt' })).toEqual({ ok: true });
  expect(seen).toMatchObject([
    {
      hook_event_name: 'Notification',
      message: 'Bash asks',
      title: 'Coppice',
      notification_type: 'permission_prompt',
      session_id: session.id,
    },
  ]);
  expect(stage.sim.requests).toEqual([]);
  expect(session.isSaved).toBe(false);
});

it('TU-26: leaving does not wait for a hook that tells of something', async () => {
  const stage = await setStage();
  await stage.settings({
    hooks: { Notification: [{ hooks: [{ type: 'command', command: 'touch began; sleep 600' }] }] },
  });
  const session = await stage.open();
  const work = session.execute({ type: 'notify', message: 'x', about: 'idle_prompt' });
  await until(
    () =>
      stage.read('began').then(
        () => true,
        () => false,
      ),
    'the hook',
  );
  await session.close();
  expect(await work).toEqual({ ok: true });
});

it('TU-6, TU-29: how the screen is to look: by the user’s settings, and changed at once', async () => {
  const stage = await setStage();
  const plain = await stage.open();
  expect(plain.ui).toEqual({ theme: undefined, notify: 'auto', editorMode: 'normal', agentsWarnAt: 50 });
  await plain.close();
  await stage.settings({ theme: 'light', notify: 'bell', editorMode: 'vim', agentsWarnAt: 8 });
  await stage.write('.claude/settings.json', JSON.stringify({ theme: 'theirs', agentsWarnAt: 100_000 }));
  const session = await stage.open({ trust: true });
  expect(session.ui).toEqual({ theme: 'light', notify: 'bell', editorMode: 'vim', agentsWarnAt: 8 });
  const settings = { theme: 'dark', editorMode: null };
  expect(await session.execute({ type: 'change-settings', source: 'user', settings })).toEqual({
    ok: true,
    applied: ['theme', 'editorMode'],
    later: [],
  });
  expect(session.ui).toMatchObject({ theme: 'dark', editorMode: 'normal', notify: 'bell' });
  const local = await session.execute({ type: 'change-settings', source: 'local', settings: { notify: 'off' } });
  expect(local).toMatchObject({ ok: false });
});

it('TU-9, TU-25: transcripts and the conversation in force, live and after a resume', async () => {
  const stage = await setStage([
    { when: { result: { tool: 'Agent' } }, reply: 'all done' },
    { when: { user: 'look around' }, reply: 'child done' },
    {
      when: { user: 'go' },
      reply: [{ tool: 'Agent', input: { description: 'd', prompt: 'look around', subagent_type: 'general-purpose' } }],
    },
    { reply: 'hello' },
  ]);
  const first = await stage.open({ permissionMode: 'bypassPermissions' });
  expect(await first.transcriptOf('main').size()).toBe(0);
  await first.send('hi');
  const reader = first.transcriptOf('main');
  const { events, to } = await reader.before(await reader.size(), 1_000_000);
  expect(events.map(({ seq }) => seq)).toEqual((await readTranscript(first.transcript)).map(({ seq }) => seq));
  await first.send('go');
  expect((await reader.after(to, 1)).events).toHaveLength(1);
  const child = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  await first.execute({ type: 'clear' });
  await first.send('again');
  await first.close();
  const second = await stage.open({ resume: first.id });
  const kinds = (await second.transcriptOf(child).after(0, 1_000_000)).events.map(({ event }) => event.kind);
  expect(kinds).toContain('agent-spawned');
  expect(kinds).toContain('assistant-replied');
  for (const nobody of ['nobody', '../../x']) expect(await second.transcriptOf(nobody).size()).toBe(0);
  const shown: string[] = [];
  for await (const { event } of second.conversation()) shown.push(event.kind);
  const end = await second.lastOfConversation(1_000_000);
  expect(end.events.map(({ event }) => event.kind)).toEqual(shown);
  expect(shown[0]).toBe('history-cleared');
  expect(shown.filter((kind) => kind === 'assistant-replied')).toHaveLength(1);
});
