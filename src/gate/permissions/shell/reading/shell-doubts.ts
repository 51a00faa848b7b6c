/**
 * The parts of the shell's grammar that leave a doubt about what a command line does. The list is closed: a kind of node
 * that is not named here does not compile, and one that the grammar adds at run time is a doubt.
 */

import type { SyntaxNode } from 'unbash';
import { PLAIN_BRACES } from './expand-braces.js';

/** Where rules cover every command it is fine: all ends with the line. */
export const BACKGROUND = 'it starts something in the background';

export type Doubt = {
  readonly reason: string;
  /** Applies wherever the command runs. Otherwise it is ignored where the command can only read. */
  readonly firm?: true;
  /** The grammar could not read it, so what it runs is unknown. */
  readonly unparsed?: true;
};

/** Undefined for nodes that only group their children, or that are read with their command. */
export function doubtAbout(node: SyntaxNode): Doubt | undefined {
  switch (node.type) {
    case 'Script': {
      const error = 'errors' in node ? node.errors?.[0] : undefined;
      return error === undefined ? undefined : unparsed(`the shell grammar could not read it (${error.message})`);
    }
    case 'Statement':
      return node.background === true ? firm(BACKGROUND) : undefined;
    case 'CompoundList':
    case 'AndOr':
    case 'Pipeline':
    case 'Negation':
    case 'Time':
    case 'If':
    case 'Elif':
    case 'Subshell':
    case 'BraceGroup':
    case 'Command':
    case 'Redirected':
    case 'CaseItem':
    case 'TestCommand':
    case 'TestUnary':
    case 'TestBinary':
    case 'TestLogical':
    case 'TestNot':
    case 'TestGroup':
    case 'Word':
    case 'Literal':
    case 'Glob':
    case 'SingleQuoted':
    case 'DoubleQuoted':
    case 'Assignment':
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
    case 'HereDocDelimiter':
    case 'HereDocBody':
    case 'FileDescriptor':
      return undefined;
    case 'FileDescriptorVariable':
      return firm('it puts a descriptor into a variable');
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
      return node.script === undefined
        ? unparsed('it contains a command substitution that could not be read')
        : { reason: 'it contains a command substitution' };
    case 'ProcessSubstitution':
      return node.script === undefined
        ? unparsed('it contains a process substitution that could not be read')
        : { reason: 'it contains a process substitution' };
    case 'ParameterExpansion':
      if (node.prefix === '!') return firm('it expands a variable that another one names');
      return { reason: 'it contains a variable expansion' };
    case 'SimpleExpansion':
    case 'Default':
    case 'Remove':
    case 'Replace':
    case 'Slice':
    case 'CaseModification':
    case 'Names':
      return { reason: 'it contains a variable expansion' };
    case 'Transform':
    case 'Unknown':
      // `${x@P}` runs what the value of x contains.
      return firm('it transforms the value of a variable');
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression === undefined
        ? unparsed('it contains shell arithmetic that could not be read')
        : { reason: 'it contains shell arithmetic' };
    case 'ArithmeticBinary':
    case 'ArithmeticUnary':
    case 'ArithmeticTernary':
    case 'ArithmeticGroup':
    case 'ArithmeticWord':
      return { reason: 'it contains shell arithmetic' };
    case 'BraceExpansion':
      return PLAIN_BRACES.test(node.text) ? undefined : { reason: 'it contains a brace expansion' };
    case 'ExtendedGlob':
      return { reason: 'it contains an extended pattern' };
    case 'AnsiCQuoted':
    case 'LocaleString':
      return { reason: 'it contains a $\'…\' or $"…" string' };
    case 'Function':
      // One that calls itself in a pipe never ends.
      return firm('it defines a function');
    case 'For':
    case 'ArithmeticFor':
    case 'While':
    case 'Select':
      return { reason: 'it contains a loop' };
    case 'Case':
      return { reason: 'it contains a case statement' };
    case 'Coproc':
      return firm('it starts a coprocess');
    case 'ArrayValue':
      return { reason: 'it sets an array' };
    default:
      node satisfies never;
      return unparsed('it contains something the gate does not know');
  }
}

function firm(reason: string): Doubt {
  return { reason, firm: true };
}

function unparsed(reason: string): Doubt {
  return { reason, firm: true, unparsed: true };
}
