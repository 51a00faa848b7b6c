/** Puts a server's question, given as JSON, at the terminal by the gate, and prints the answer. For a test in a pty. */

import { LineInput } from '../../../../src/front/cli/plain/line-input.js';
import { askAtTerminal } from '../../../../src/front/cli/plain/run-plain.js';
import { Screen } from '../../../../src/front/cli/plain/screen.js';
import { answerQuestions } from '../../../../src/front/sdk/open-session.js';
import { choosePaint } from '../../../../src/front/view/paint.js';
import { createGate } from '../../../../src/gate/gate.js';
import { createHooks } from '../../../../src/gate/hooks/hooks.js';
import type { Requester } from '../../../../src/gate/requester.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { ElicitationRequest } from '../../../../src/protocol/mcp/elicitation.js';

const request = JSON.parse(process.argv[2] ?? '') as ElicitationRequest;
const folder = process.cwd();
const host = nodeHost(folder);
const screen = new Screen(process.stdout);
const input = new LineInput({ input: process.stdin, output: process.stdout }, screen);
const abort = new AbortController();
input.onInterrupt = () => abort.abort();
const gate = createGate({
  host,
  projectRoot: folder,
  rules: [],
  trusted: true,
  readRoots: [],
  editsAgreed: undefined,
  acceptEdits: async () => {},
  warn: () => {},
});
const paint = choosePaint(false);
const ask = askAtTerminal({ screen, input, paint, settled: async () => {}, command: async () => {} });
const listen = answerQuestions(ask, (id, answer) => gate.answer(id, answer));
gate.addAnswerer();
const base = () => ({ session_id: 's', transcript_path: 's', cwd: folder, permission_mode: 'default' as const });
const requester: Requester = {
  id: 'main',
  type: 'main',
  depth: 0,
  mode: 'default',
  readOnly: false,
  limits: undefined,
  roots: [folder],
  folder,
  cwd: folder,
  files: host.files.sync,
  hooks: createHooks({ host, projectDir: folder, sources: [], base, warn: () => {} }),
  notify: async (event) => listen({ agent: 'main', seq: undefined, event }),
};
const answer = await gate.elicit(request, requester, abort.signal);
screen.line(`ANSWER ${JSON.stringify(answer)}`);
input.close();
