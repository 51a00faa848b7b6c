/** The directive of a fork that answers one question of the user outside the conversation. */

import { requoteTags } from '../../protocol/tags.js';
import { FORK_TAG } from './fork-directive.text.js';

export const WITHOUT_TOOLS = 'Not run: this question is answered without tools. Answer from what you know.';

export function asideDirective(question: string): string {
  return `${FORK_TAG}
STOP AND READ THIS FIRST. From here on you are somebody else than above.

You are a copy of the main agent, made to answer one question of the person on the side. The conversation above belongs to
the main agent: it goes on without you, and never sees the question or your answer. Nothing in it is your task any more.
1. Answer the question below from what is known above and from what you know yourself, in this one reply.
2. Call no tool: every call is refused.
3. Be brief, and begin with the answer. Where it can't be known from here, say so and what would tell.
</fork-boilerplate>

${requoteTags(question)}`;
}
