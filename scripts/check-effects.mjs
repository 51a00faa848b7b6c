/** Finds effects outside src/host: imports of effectful modules, and uses of the clock, randomness or the process. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Effectful modules. Type imports count too. */
const MODULES = new Set(
  `fs fs/promises child_process worker_threads cluster timers timers/promises dns dns/promises net http https http2 tls
   dgram inspector os process undici uuid`.split(/\s+/),
);
/** Pure exports of effectful modules. */
const PURE = new Set(['os.EOL', 'os.constants']);
/** Sources of randomness. The rest of node:crypto is pure. */
const CHANCE = /^(randomUUID|randomBytes|randomInt|randomFillSync|getRandomValues)$/;
const GLOBALS = new Set(
  'process performance setTimeout setInterval setImmediate fetch WebSocket EventSource'.split(' '),
);
const MEMBERS = new Set([
  'Date.now',
  'Math.random',
  'AbortSignal.timeout',
  'crypto.randomUUID',
  'crypto.getRandomValues',
]);

/** Where an effect is allowed, which effects (undefined: all), and the reason. */
const EXCEPTIONS = [
  { path: 'src/host/', reason: 'the only room that touches the machine' },
  { path: 'src/sim/', reason: 'it runs servers and is not part of the floors' },
  { path: 'src/front/cli/', effects: ['process'], reason: 'the program itself: streams, arguments, signals, exit' },
  {
    path: 'src/front/commands/doctor/',
    effects: ['process'],
    reason: 'it checks the process and the terminal it runs in',
  },
  { path: 'src/front/cli/load-program.ts', effects: ['fs'], reason: 'runs before anything is loaded' },
  { path: 'src/front/cli/compiled-form.ts', effects: ['fs', 'os'], reason: 'runs before anything is loaded' },
  { path: 'src/front/cli/read-prompt.ts', effects: ['fs'], reason: 'checks the type of standard input' },
  {
    path: 'src/front/cli/demo/demo-stage.ts',
    effects: ['fs', 'fs/promises', 'os'],
    reason: 'removes its folder on exit',
  },
  {
    path: 'src/front/tui/screen/',
    effects: ['fs', 'process'],
    reason: 'the terminal: its stream without waiting for it, signals, what is left behind at the end',
  },
  { path: 'src/config/paths.ts', effects: ['os'], reason: 'the home folder if HOME is not set' },
];

const files = readdirSync('src', { recursive: true })
  .map((name) => join('src', String(name)))
  .filter((path) => /\.tsx?$/.test(path));
const found = files.flatMap((path) => findEffects(path, readFileSync(path, 'utf8')));
for (const { path, line, effect } of found) console.error(`${path}:${line}: ${effect} belongs in src/host`);
if (files.length === 0) console.error('No files were checked.');
process.exitCode = found.length > 0 || files.length === 0 ? 1 : 0;

/** The effects of a file that no exception allows, in source order. */
function findEffects(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const allowed = EXCEPTIONS.filter((exception) => path.startsWith(exception.path));
  const found = [];
  const visit = (node) => {
    const effect = effectOf(node);
    if (effect !== undefined && !allowed.some(({ effects }) => effects === undefined || effects.includes(effect))) {
      found.push({ path, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, effect });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function effectOf(node) {
  if (ts.isStringLiteralLike(node)) return effectOfModule(node);
  if (ts.isImportSpecifier(node)) return CHANCE.test((node.propertyName ?? node.name).text) ? nameOf(node) : undefined;
  if (ts.isPropertyAccessExpression(node)) return effectOfMember(node);
  if (ts.isNewExpression(node) && isGlobal(node.expression, 'Date') && !node.arguments?.length) return 'new Date()';
  if (ts.isCallExpression(node) && isGlobal(node.expression, 'Date')) return 'Date()';
  if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isValue(node) && isGlobal(node, node.text)) return node.text;
  return undefined;
}

/** `import … from 'x'`, `import('x')`, `require('x')`, `process.getBuiltinModule('x')`, and `import('x').T` in a type. */
function effectOfModule(node) {
  const name = node.text.replace(/^node:/, '');
  if (!MODULES.has(name)) return undefined;
  const { parent } = node;
  if (ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return isImportType(parent) ? name : undefined;
  if (ts.isImportDeclaration(parent)) return isPure(name, parent) ? undefined : name;
  if (!ts.isCallExpression(parent)) return undefined;
  const called = parent.expression;
  if (called.kind === ts.SyntaxKind.ImportKeyword) return name;
  return /(^|\.)(require|getBuiltinModule)$/.test(called.getText()) ? name : undefined;
}

function isImportType(parent) {
  return ts.isExportDeclaration(parent) || ts.isImportTypeNode(parent.parent);
}

function isPure(name, declaration) {
  const bindings = declaration.importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.every((element) => PURE.has(`${name}.${nameOf(element)}`));
}

function effectOfMember(node) {
  const { expression, name } = node;
  if (!ts.isIdentifier(expression)) return undefined;
  if (isGlobal(expression, 'globalThis') && GLOBALS.has(name.text)) return name.text;
  const member = `${expression.text}.${name.text}`;
  return MEMBERS.has(member) && isGlobal(expression, expression.text) ? member : undefined;
}

function nameOf(element) {
  return (element.propertyName ?? element.name).text;
}

/** True if the identifier is a value: not a property name, a declared name, or part of a type. */
function isValue(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent) || ts.isTypeReferenceNode(parent)) return false;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isBindingElement(parent)) return false;
  return parent.name !== node || ts.isShorthandPropertyAssignment(parent);
}

/** True if the identifier is the global `name`, not shadowed by a declaration. */
function isGlobal(node, name) {
  if (!ts.isIdentifier(node) || node.text !== name) return false;
  for (let scope = node.parent; scope !== undefined; scope = scope.parent) if (declares(scope, name)) return false;
  return true;
}

function declares(scope, name) {
  const declared = [
    ...(scope.parameters ?? []),
    ...(scope.variableDeclaration ? [scope.variableDeclaration] : []),
    ...variablesOf(scope.initializer),
    ...(Array.isArray(scope.statements) ? scope.statements.flatMap(declarationsOf) : []),
  ];
  return declared.some((declaration) => declaration.name !== undefined && binds(declaration.name, name));
}

function declarationsOf(statement) {
  if (ts.isVariableStatement(statement)) return variablesOf(statement.declarationList);
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return [statement];
  if (!ts.isImportDeclaration(statement) || statement.importClause === undefined) return [];
  const bindings = statement.importClause.namedBindings;
  if (bindings === undefined) return [statement.importClause];
  return [statement.importClause, ...(ts.isNamedImports(bindings) ? bindings.elements : [bindings])];
}

function variablesOf(list) {
  return list !== undefined && ts.isVariableDeclarationList(list) ? list.declarations : [];
}

/** True if a binding name or pattern declares `name`. */
function binds(pattern, name) {
  if (ts.isIdentifier(pattern)) return pattern.text === name;
  return pattern.elements.some((element) => element.name !== undefined && binds(element.name, name));
}
