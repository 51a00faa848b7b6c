/** The Agent Client Protocol: handles requests of an editor and routes them to its sessions. */

import {
  type AgentConnection,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  PROTOCOL_VERSION,
  type Stream,
} from '@agentclientprotocol/sdk';
import { VERSION } from '../../config/version.js';
import type { SessionOptions } from '../../engine/session-options.js';
import { AcpSessions } from './acp-sessions.js';
import type { Editor } from './editor.js';

export type ServedEditor = {
  /** Resolves when it is gone. */
  readonly gone: Promise<void>;
  /** Closes all sessions. Never rejects. */
  leave(): Promise<void>;
};

/** `options`: for every session. */
export function serveEditor(stream: Stream, options: SessionOptions): ServedEditor {
  let capabilities: ClientCapabilities = {};
  let connection: AgentConnection | undefined;
  const editor: Editor = {
    get capabilities() {
      return capabilities;
    },
    get client() {
      return connected().client;
    },
    get gone() {
      return connected().signal;
    },
  };
  const connected = () => {
    if (connection === undefined) throw new Error('nothing is connected yet');
    return connection;
  };
  const sessions = new AcpSessions(editor, options);
  connection = agent({ name: 'coppice' })
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return INTRODUCTION;
    })
    .onRequest('session/new', async ({ params }) => {
      const opened = await sessions.open(params);
      opened.introduce();
      return { sessionId: opened.session.id, ...opened.state };
    })
    .onRequest('session/load', async ({ params }) => {
      const opened = await sessions.reopen(params.sessionId, params);
      await opened.replay();
      opened.introduce();
      return opened.state;
    })
    .onRequest('session/resume', async ({ params }) => {
      const opened = await sessions.reopen(params.sessionId, params);
      opened.introduce();
      return opened.state;
    })
    .onRequest('session/list', ({ params }) => sessions.list(params))
    .onRequest('session/close', async ({ params }) => {
      await sessions.close(params.sessionId);
      return {};
    })
    .onRequest('session/delete', async ({ params }) => {
      await sessions.delete(params.sessionId);
      return {};
    })
    .onRequest('session/set_mode', async ({ params }) => {
      await sessions.get(params.sessionId).setMode(params.modeId);
      return {};
    })
    .onRequest('session/set_config_option', async ({ params }) => ({
      configOptions: await sessions.get(params.sessionId).setOption(params.configId, params.value),
    }))
    .onRequest('session/prompt', ({ params, signal }) => sessions.get(params.sessionId).prompt(params.prompt, signal))
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId).cancel())
    .connect(stream);
  return {
    gone: connection.closed,
    leave: async () => {
      await sessions.leave();
      connection?.close();
    },
  };
}

const INTRODUCTION: InitializeResponse = {
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: 'coppice', title: 'Coppice', version: VERSION },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
  },
  // A key comes from the environment or the settings.
  authMethods: [],
};
