/** Finds types that a module uses in its public signatures but does not export. */

import { dirname, relative } from 'node:path';
import ts from 'typescript';

/**
 * `entry` is a declaration file, in which inferred types are explicit and private members have no type.
 * Returns each hidden type with its file and one public name that uses it. Ignores types of packages and Node.
 */
export function findHiddenTypes(entry) {
  const program = ts.createProgram([entry], { noLib: true, types: [], module: ts.ModuleKind.NodeNext });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  if (source === undefined) throw new Error(`cannot read ${entry}`);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map(resolveAlias);
  const known = new Set(exported);
  const hidden = [];
  const queue = exported.map((symbol) => ({ symbol, user: symbol.name }));
  for (const { symbol, user } of queue) {
    for (const mentioned of mentionedBy(symbol)) {
      if (known.has(mentioned)) continue;
      known.add(mentioned);
      const file = mentioned.declarations[0].getSourceFile().fileName;
      hidden.push({ name: mentioned.name, file: relative(dirname(entry), file), user });
      queue.push({ symbol: mentioned, user: mentioned.name });
    }
  }
  return hidden;

  function resolveAlias(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function mentionedBy(symbol) {
    const found = new Set();
    const visit = (node) => {
      const name = typeNameOf(node);
      const named = name === undefined ? undefined : checker.getSymbolAtLocation(name);
      if (named !== undefined && isOurs(resolveAlias(named))) found.add(resolveAlias(named));
      ts.forEachChild(node, visit);
    };
    for (const declaration of symbol.declarations ?? []) visit(declaration);
    return found;
  }
}

/** `T`, `import('x').T`, `extends T`. */
function typeNameOf(node) {
  if (ts.isTypeReferenceNode(node)) return lastOf(node.typeName);
  if (ts.isImportTypeNode(node) && node.qualifier !== undefined) return lastOf(node.qualifier);
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return undefined;
}

function lastOf(name) {
  return ts.isQualifiedName(name) ? name.right : name;
}

function isOurs(symbol) {
  const kinds = ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.Enum;
  return (symbol.flags & kinds) !== 0 && symbol.declarations !== undefined;
}
