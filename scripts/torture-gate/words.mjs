/** Spellings of a word: every quoting and expansion of bash that gives the same value, and some that do something. */

/** Each: name, and the spelling of `value`. `before` stands in front of the command and sets what the spelling uses. */
const PLAIN = [
  ['plain', (value) => ({ text: bare(value) })],
  ['single', (value) => ({ text: `'${value}'` })],
  ['double', (value) => ({ text: `"${value}"` })],
  ['backslash', (value) => ({ text: `\\${value}` })],
  ['joined', (value) => ({ text: `${value.slice(0, 1)}""${bare(value.slice(1))}` })],
];

const EXPANDED = [
  ['ansi-c', (value) => ({ text: `$'${hex(value.slice(0, 1))}${value.slice(1)}'` })],
  ['locale', (value) => ({ text: `$"${value}"` })],
  ['variable', (value) => ({ text: '$v', before: `v='${value}'` })],
  ['quoted variable', (value) => ({ text: '"$v"', before: `v='${value}'` })],
  ['braced variable', (value) => ({ text: `"\${v}"`, before: `v='${value}'` })],
  ['default', (value) => ({ text: `\${nope:-${value}}` })],
  ['plain default', (value) => ({ text: `\${nope-${value}}` })],
  ['assigning default', (value) => ({ text: `\${nope:=${value}}` })],
  ['alternative', (value) => ({ text: `\${HOME:+${value}}` })],
  ['plain alternative', (value) => ({ text: `\${HOME+${value}}` })],
  ['error if unset', (value) => ({ text: `"\${v:?no}"`, before: `v='${value}'` })],
  ['remove prefix', (value) => ({ text: `\${v#x}`, before: `v='x${value}'` })],
  ['remove long prefix', (value) => ({ text: `\${v##x*-}`, before: `v='xx-${value}'` })],
  ['remove suffix', (value) => ({ text: `\${v%x}`, before: `v='${value}x'` })],
  ['remove long suffix', (value) => ({ text: `\${v%%@*}`, before: `v='${value}@x@x'` })],
  ['substring', (value) => ({ text: `\${v:1:${value.length}}`, before: `v='x${value}x'` })],
  ['replace', (value) => ({ text: `\${v/@/}`, before: `v='@${value}'` })],
  ['replace all', (value) => ({ text: `\${v//@/}`, before: `v='@${value}@'` })],
  ['replace start', (value) => ({ text: `\${v/#@/}`, before: `v='@${value}'` })],
  ['lower', (value) => ({ text: `\${v,}`, before: `v='${value}'` })],
  ['upper', (value) => ({ text: `\${v^}`, before: `v='${value}'` })],
  ['transform', (value) => ({ text: `\${v@Q}`, before: `v='${value}'` })],
  ['prompt transform', (value) => ({ text: `\${v@P}`, before: `v='${value}'` })],
  ['escape transform', (value) => ({ text: `\${v@E}`, before: `v='${value}'` })],
  ['length', (value) => ({ text: `\${#v}`, before: `v='${value}'` })],
  ['indirect', (value) => ({ text: `\${!w}`, before: `w=v v='${value}'` })],
  ['names', (value) => ({ text: `\${!HOM*} ${bare(value)}` })],
  ['array element', (value) => ({ text: `\${l[0]}`, before: `l=('${value}' x)` })],
  ['array', (value) => ({ text: `"\${l[@]}"`, before: `l=('${value}')` })],
  ['array keys', (value) => ({ text: `"\${!l[@]}" ${bare(value)}`, before: `l=(a b)` })],
  ['named array', (value) => ({ text: `"\${m[k]}"`, before: `declare -A m=([k]='${value}')` })],
  ['name reference', (value) => ({ text: '"$r"', before: `declare -n r=v; v='${value}'` })],
  ['positional', (value) => ({ text: '"$1"', before: `set -- '${value}'` })],
  ['all positional', (value) => ({ text: '"$@"', before: `set -- '${value}'` })],
  ['positional range', (value) => ({ text: '"$' + '{@:1:1}"', before: `set -- '${value}'` })],
  ['substitution', (value) => ({ text: `$(echo '${value}')` })],
  ['quoted substitution', (value) => ({ text: `"$(printf %s '${value}')"` })],
  ['backtick', (value) => ({ text: `\`echo ${bare(value)}\`` })],
  ['file substitution', () => ({ text: '$(< list.txt)' })],
  ['nested', (value) => ({ text: `\${nope:-\${v:-$(echo '${value}')}}` })],
  ['brace', (value) => ({ text: `{${bare(value)},README.md}` })],
  ['brace in word', (value) => ({ text: `${value.slice(0, 1)}{${bare(value.slice(1))},x}` })],
  ['brace range', (value) => ({ text: `${bare(value)} {1..3}` })],
  ['glob star', (value) => ({ text: `${value.slice(0, -1)}*` })],
  ['glob question', (value) => ({ text: `${value.slice(0, -1)}?` })],
  ['glob set', (value) => ({ text: `${value.slice(0, -1)}[${value.slice(-1)}]` })],
  ['all files', () => ({ text: '*' })],
  ['hidden files', () => ({ text: '.*' })],
  ['extended glob', (value) => ({ text: `@(${bare(value)})`, before: 'shopt -s extglob' })],
  ['not this', () => ({ text: '!(x)', before: 'shopt -s extglob' })],
  ['tilde folder', (value) => ({ text: value.startsWith('/') ? value : `~+/${bare(value)}` })],
  ['arithmetic', (value) => ({ text: `${bare(value)} $((1 + 2))` })],
  ['status', (value) => ({ text: `${bare(value)} "$?"` })],
  ['special', (value) => ({ text: `${bare(value)} "$$ $# $- $_"` })],
  ['process substitution', (value) => ({ text: `<(cat '${value}')` })],
];

/** Expansions that run the command in them, or may. */
const ACTIVE = [
  ['substitution runs', (inner) => `$(${inner})`],
  ['backtick runs', (inner) => `\`${inner.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``],
  ['default runs', (inner) => `\${nope:-$(${inner})}`],
  ['assigning default runs', (inner) => `\${nope:=$(${inner})}`],
  ['alternative runs', (inner) => `\${HOME:+$(${inner})}`],
  ['error runs', (inner) => `\${HOME:?$(${inner})}`],
  ['pattern runs', (inner) => `\${HOME#$(${inner})}`],
  ['replacement runs', (inner) => `\${HOME/x/$(${inner})}`],
  ['offset runs', (inner) => `\${HOME:$(${inner} >&2; echo 0)}`],
  ['index runs', (inner) => `\${nope[$(${inner} >&2; echo 0)]}`],
  ['arithmetic runs', (inner) => `$(( $(${inner} >&2; echo 1) ))`],
  ['arithmetic index runs', (inner) => `$(( nope[$(${inner} >&2; echo 0)] ))`],
  ['quoted runs', (inner) => `"a $(${inner}) b"`],
  ['reading process', (inner) => `<(${inner})`],
  ['writing process', (inner) => `>(${inner})`],
  ['bare reading process', (inner) => `"$(cat <(${inner}))"`],
  ['fun substitution', (inner) => `\${ ${inner}; }`],
  ['old arithmetic', (inner) => `$[ $(${inner} >&2; echo 1) ]`],
];

export const WORDS = [...PLAIN, ...EXPANDED, ...ACTIVE].map(([name]) => name);

/** Plain mostly; `odd` asks for an expansion. */
export function spell(random, value, odd) {
  const [name, make] = random.pick(odd ? EXPANDED : PLAIN);
  return { tag: `word: ${name}`, ...make(value) };
}

export function runInWord(random, inner) {
  const [name, make] = random.pick(ACTIVE);
  return { tag: `word: ${name}`, text: make(inner) };
}

/** As it stands on a line, quoted only where it has to be. A leading ~ stays what it is. */
function bare(value) {
  return /^[\w./~+:@%,=-]*$/.test(value) ? value : `'${value}'`;
}

function hex(text) {
  return [...text].map((char) => `\\x${char.codePointAt(0).toString(16).padStart(2, '0')}`).join('');
}
