/** `resumeAt`: continues right after a message. */

import { describe, expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import type { Session } from '../../../src/front/sdk/session.js';
import { messageId } from '../../../src/session/message-id.js';
import type { Rule } from '../../../src/sim/index.js';
import { expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { lastSent } from '../../support/wire-body.js';

const WRITES: Rule[] = [
  { when: { result: { tool: 'Write' } }, reply: 'written' },
  {
    when: { user: { matches: 'write (?<file>\\S+) (?<words>\\S+)' } },
    reply: ['I write.', { tool: 'Write', input: { file_path: '{{file}}', content: '{{words}}\n' } }],
  },
  { reply: 'said' },
];

const EDITS = { permissionMode: 'acceptEdits' } as const;

async function idOf(session: Session, kind: string, nth: number, part = 0): Promise<string> {
  const records = (await readTranscript(session.transcript)).filter(({ event }) => event.kind === kind);
  return messageId(session.id, 'main', records[nth]?.seq ?? 0, part);
}

async function talk() {
  const stage = await setStage(WRITES);
  const session = await stage.open(EDITS);
  await session.execute({ type: 'prompt', content: 'first', key: 'b0c2a7f4-7c5b-4d0e-9d5f-0a6c1f2e3d41' });
  await session.send('write a.txt one');
  await session.send('third');
  return { stage, session };
}

describe('resumeAt', () => {
  it('CL-2: after a reply: what came later is gone from the conversation, files stay', async () => {
    const { stage, session } = await talk();
    const resumeAt = await idOf(session, 'assistant-replied', 0);
    await session.close();
    const next = await stage.open({ ...EDITS, resume: session.id, resumeAt });
    expect((await next.prompts()).map(({ words }) => words)).toEqual(['first']);
    await next.send('on we go');
    expectAllAccepted(stage.sim);
    expect(lastSent(stage.sim)).toContain('first');
    expect(lastSent(stage.sim)).not.toContain('write a.txt one');
    expect(lastSent(stage.sim)).not.toContain('third');
    expect(await stage.read('a.txt')).toBe('one\n');
  });

  it('CL-2: after a reply with a call, by the id of any of its blocks: the call is closed, and the API takes it', async () => {
    for (const part of [0, 1]) {
      const { stage, session } = await talk();
      const resumeAt = await idOf(session, 'assistant-replied', 1, part);
      await session.close();
      const next = await stage.open({ ...EDITS, resume: session.id, resumeAt });
      await next.send('on we go');
      expectAllAccepted(stage.sim);
      expect(lastSent(stage.sim)).toContain('write a.txt one');
      // It was carried out: nothing reports that it never began.
      expect(lastSent(stage.sim)).not.toContain('Never started');
      expect(lastSent(stage.sim)).toMatch(/"type":"tool_result"[^}]*"text":"[^"]*(may|interrupted)/i);
      expect(lastSent(stage.sim)).not.toContain('third');
    }
  });

  it('CL-2: after a result, and after a prompt by the id its client gave it', async () => {
    const { stage, session } = await talk();
    const result = await idOf(session, 'call-finished', 0);
    await session.close();
    const next = await stage.open({ ...EDITS, resume: session.id, resumeAt: result, branch: true });
    await next.send('on we go');
    expect(lastSent(stage.sim)).toContain('tool_result');
    expect(lastSent(stage.sim)).not.toContain('third');
    await next.close();
    const key = 'b0c2a7f4-7c5b-4d0e-9d5f-0a6c1f2e3d41';
    const prompt = await stage.open({ ...EDITS, resume: session.id, resumeAt: key, branch: true });
    await prompt.send('on we go');
    expectAllAccepted(stage.sim);
    expect(lastSent(stage.sim)).toContain('first');
    expect(lastSent(stage.sim)).not.toContain('said');
  });

  it('CL-2: with branch the old session is untouched, and its ids mean the same in the copy', async () => {
    const { stage, session } = await talk();
    const resumeAt = await idOf(session, 'assistant-replied', 0);
    await session.close();
    const before = await readTranscript(session.transcript);
    const copy = await stage.open({ ...EDITS, resume: session.id, resumeAt, branch: true });
    await copy.send('elsewhere');
    await copy.close();
    expect(await readTranscript(session.transcript)).toEqual(before);
    const again = await stage.open({ ...EDITS, resume: copy.id, resumeAt });
    await again.send('back');
    expectAllAccepted(stage.sim);
    expect(lastSent(stage.sim)).not.toContain('elsewhere');
  });

  it('CL-2: the last message: nothing is taken back', async () => {
    const { stage, session } = await talk();
    const count = (await readTranscript(session.transcript)).filter(({ event }) => event.kind === 'assistant-replied');
    const resumeAt = await idOf(session, 'assistant-replied', count.length - 1);
    await session.close();
    const next = await stage.open({ ...EDITS, resume: session.id, resumeAt });
    await next.send('on we go');
    expectAllAccepted(stage.sim);
    expect(lastSent(stage.sim)).toContain('third');
  });

  it('CL-2: an id that nothing has is an error that names it, and nothing was copied', async () => {
    const { stage, session } = await talk();
    await session.close();
    const at = { cwd: stage.folder, env: stage.env };
    const unknown = await openSession({
      ...at,
      resume: session.id,
      resumeAt: 'nothing',
      branch: true,
      sessionId: 'copy',
    });
    expect(unknown).toMatchObject({ ok: false, kind: 'usage', reason: expect.stringContaining('no message nothing') });
    expect(await openSession({ ...at, resume: 'copy' })).toMatchObject({ ok: false, kind: 'usage' });
    expect(await openSession({ ...at, resumeAt: 'nothing' })).toMatchObject({ ok: false, kind: 'usage' });
  });
});
