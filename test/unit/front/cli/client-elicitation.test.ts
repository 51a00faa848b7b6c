/** A server's question as a client of stream-json gets it (MC-23). */

import { expect, it } from 'vitest';
import { ClientQuestions } from '../../../../src/front/cli/control/client-questions.js';
import { ClientRequests } from '../../../../src/front/cli/control/client-requests.js';
import type { PermissionQuestion } from '../../../../src/protocol/permission.js';

const schema = { type: 'object', properties: { name: { type: 'string' } } };
const QUESTION: PermissionQuestion = {
  id: 'q',
  about: 'elicitation',
  elicitation: {
    server: 'shop',
    message: 'Who?',
    mode: 'form',
    fields: [{ name: 'name', title: 'name', type: 'string', required: false }],
    schema,
  },
  agent: { id: 'a1', type: 'reviewer', depth: 1 },
  call: { id: 'elicitation', tool: 'mcp__shop', input: {} },
  cwd: '/',
  reason: 'the MCP server shop asks: Who?',
  destroys: [],
  offers: [],
};

it.each([
  [
    { action: 'accept', content: { name: 'Ada' } },
    { behavior: 'allow', updatedInput: { name: 'Ada' } },
  ],
  [{ action: 'accept' }, { behavior: 'allow', updatedInput: {} }],
  [{ action: 'decline' }, { behavior: 'deny' }],
  [{ action: 'cancel' }, { behavior: 'deny', cancel: true }],
  [{ behavior: 'allow' }, { behavior: 'deny', reason: "the client's answer was not understood" }],
])('MC-23: an elicitation request, answered with %j', async (response, answer) => {
  const lines: object[] = [];
  const client = new ClientRequests({ print: (line) => lines.push(line), newId: () => 'r1' });
  const questions = new ClientQuestions({
    client,
    warn: () => {},
    setMode: async () => {},
  });
  const asked = questions.ask(QUESTION, new AbortController().signal);
  expect(lines).toEqual([
    {
      type: 'control_request',
      request_id: 'r1',
      request: {
        subtype: 'elicitation',
        mcp_server_name: 'shop',
        message: 'Who?',
        mode: 'form',
        requested_schema: schema,
        agent_id: 'a1',
        agent_type: 'reviewer',
      },
    },
  ]);
  client.answer({ subtype: 'success', request_id: 'r1', response } as never);
  expect(await asked).toEqual(answer);
});
