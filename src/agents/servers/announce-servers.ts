/**
 * Tells an agent what servers say about their use, and which of them it must do without. Once each, as a reminder. Nothing
 * is told of servers that may not run: what a folder writes about them is nobody's word.
 */

import { createHash } from 'node:crypto';
import { text } from '../../protocol/blocks.js';
import { escapeControls } from '../../protocol/escape-controls.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import { reminder } from '../../protocol/tags.js';
import { toldOf } from '../../session/state/agent-state.js';
import type { Servers } from '../../tools/mcp/server-access.js';
import type { LiveAgent } from '../live-agent.js';

const TOPIC = 'mcp server ';
/** Of the instructions of one server, and of what is said of one that failed. */
const LONGEST = 2_048;
const LONGEST_REASON = 400;
/** Of all that is told at once. */
const LONGEST_WHOLE = 20_000;

/** `isAbout`: which servers it is told of. */
export async function announceServers(
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
  await agent.inbox.admit({ origin: 'reminder', key, tells }, [text(reminder(cut(words, LONGEST_WHOLE)))]);
}

/** Empty words: nothing to say of it. */
function describeServers(servers: Servers, isAbout: (report: ServerReport) => boolean) {
  const instructions = new Map(servers.offers().map((offer) => [offer.server.name, offer.instructions?.trim()]));
  return servers.reports().flatMap((report) => {
    const { status } = report;
    const isTold = status === 'connected' || status === 'failed' || status === 'needs-sign-in';
    if (!isTold || !isAbout(report)) return [];
    const name = JSON.stringify(escapeControls(report.name));
    const words =
      status === 'connected' ? describeUse(name, instructions.get(report.name)) : describeFailure(name, report);
    return [{ topic: `${TOPIC}${report.name}`, name, words, hash: hashOf(words) }];
  });
}

function describeUse(name: string, said: string | undefined): string {
  if (said === undefined || said === '') return '';
  const words = escapeControls(cut(said, LONGEST));
  return `# MCP server ${name}\n\nThe server says about its use (its words, not the person's):\n\n${words}`;
}

/** In quotes: its own words may be among them. */
function describeFailure(name: string, { status, reason = status }: ServerReport): string {
  const why = JSON.stringify(escapeControls(cut(reason, LONGEST_REASON)));
  return `The MCP server ${name} can't be used now. What was found: ${why}. Its tools fail; say so if they are needed.`;
}

function cut(words: string, longest: number): string {
  return words.length <= longest ? words : `${words.slice(0, longest).toWellFormed()} […]`;
}

function hashOf(words: string): string {
  return createHash('sha256').update(words).digest('hex').slice(0, 16);
}
