/** StructuredOutput, as every surface knows it. Its input is whatever the schema of the session asks for. */

import type { FactsAbout } from './tool-facts.js';

export const structuredOutputFacts: FactsAbout<'StructuredOutput'> = { name: 'StructuredOutput', kind: 'other' };
