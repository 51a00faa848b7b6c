/** Tells an agent what servers say about their use, and which of them it must do without. Once each, as a reminder. */

import { createHash } from 'node:crypto';
import { text } from '../../protocol/blocks.js';
import { makeVisible } from '../../protocol/make-visible.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import { reminder } from '../../protocol/tags.js';
import { toldOf } from '../../session/state/agent-state.js';
import type { Servers } from '../../tools/mcp/session-servers.js';
import type { LiveAgent } from '../live-agent.js';

const TOPIC = 'mcp server ';
/** Of the instructions of one server. */
const LONGEST = 2_048;

/** `isAbout`: which servers it is told of. */
export async function tellServers(
  servers: Servers,
  agent: LiveAgent,
  isAbout: (report: ServerReport) => boolean = () => true,
): Promise<void> {
  const told = toldOf(agent.state);
  const news = describeServers(servers, isAbout).filter(({ topic, hash }) => told[topic] !== hash);
  // What was never told needs no end.
  const fresh = news.filter(({ topic, words }) => words !== '' || told[topic] !== undefined);
  if (fresh.length === 0) return;
  const tells = Object.fromEntries(fresh.map(({ topic, hash }) => [topic, hash]));
  const words = fresh.map((one) => one.words || `The MCP server ${one.name} can be used again.`).join('\n\n');
  const key = `servers after ${agent.state.lastSeq}`;
  await agent.inbox.admit({ origin: 'reminder', key, tells }, [text(reminder(words))]);
}

/** Empty words: nothing to say of it. */
function describeServers(servers: Servers, isAbout: (report: ServerReport) => boolean) {
  const instructions = new Map(servers.offers().map((offer) => [offer.server.name, offer.instructions?.trim()]));
  return servers.reports().flatMap((report) => {
    const { name, status, reason } = report;
    if (status === 'connecting' || status === 'off' || !isAbout(report)) return [];
    const said = instructions.get(name);
    const words =
      status !== 'connected'
        ? `The MCP server ${name} can't be used: ${reason ?? status}. Its tools fail; say so if they are needed.`
        : said === undefined || said === ''
          ? ''
          : `# MCP server ${name}\n\nThe server says about its use (its words, not the person's):\n\n${data(said)}`;
    return [{ topic: `${TOPIC}${name}`, name, words: makeVisible(words), hash: hashOf(words) }];
  });
}

function data(said: string): string {
  return said.length <= LONGEST ? said : `${said.slice(0, LONGEST).toWellFormed()} […]`;
}

function hashOf(words: string): string {
  return createHash('sha256').update(words).digest('hex').slice(0, 16);
}
